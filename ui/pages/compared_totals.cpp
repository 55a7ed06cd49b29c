#include "ui/pages/compared_totals.h"

#include "core/model/byte_count.h"
#include "core/view/words/units.h"
#include "ui/models/run_totals.h"

#include <cstdlib>
#include <map>
#include <string_view>
#include <utility>

namespace shardlens {
namespace {

using Text = std::string (*)(std::int64_t);

constexpr std::string_view kSteps = "steps";

std::string numberOf(std::int64_t number) { return std::to_string(number); }

// Fewer is better in each of these quantities, except for steps.
view::Row rowOf(const std::string& name, std::int64_t left, std::int64_t right, Text text) {
  const std::int64_t more = right - left;
  const std::string sign = more > 0 ? "+" : more < 0 ? "−" : "";
  const auto tone = more == 0        ? view::Tone::Quiet
                    : name == kSteps ? view::Tone::Plain
                    : more > 0       ? view::Tone::Warn
                                     : view::Tone::Good;
  return {.cells = {
              {name},
              {text(left), view::Tone::Plain, static_cast<double>(left)},
              {text(right), view::Tone::Plain, static_cast<double>(right)},
              {more == 0 ? "same" : sign + text(std::abs(more)), tone, static_cast<double>(more)}}};
}

}  // namespace

view::Table comparedTotals(const Journal& left, const Journal& right) {
  std::vector<view::Row> rows;
  const auto add = [&](const std::string& name, std::int64_t ours, std::int64_t theirs, Text text) {
    if (ours != 0 || theirs != 0) rows.push_back(rowOf(name, ours, theirs, text));
  };
  const EventTotals& a = left.totals();
  const EventTotals& b = right.totals();
  add(std::string(kSteps), a.count(EventKind::Step), b.count(EventKind::Step), numberOf);
  add("time", a.end() - a.begin(), b.end() - b.begin(), view::durationText);
  add("collectives", a.count(EventKind::Collective), b.count(EventKind::Collective), numberOf);
  std::map<std::string, std::pair<std::int64_t, std::int64_t>> sent;  // by mesh axis, of A and of B
  std::pair<std::int64_t, std::int64_t> all;
  for (const auto& [axis, bytes] : bytesByAxis(left)) all.first += sent[axis].first = bytes;
  for (const auto& [axis, bytes] : bytesByAxis(right)) all.second += sent[axis].second = bytes;
  add("sent", all.first, all.second, byteCountText);
  for (const auto& [axis, bytes] : sent) {
    if (axis.empty() || sent.size() < 2) continue;
    add("sent over " + axis, bytes.first, bytes.second, byteCountText);
  }
  add("implicit redistributions that send", a.implicit(), b.implicit(), numberOf);
  const auto ours = tensorMemory(left);
  const auto theirs = tensorMemory(right);
  if (ours && theirs) add("tensors, largest rank", ours->most, theirs->most, byteCountText);
  return {.columns = {{"total"},
                      {"A", view::Align::Right},
                      {"B", view::Align::Right},
                      {"B − A", view::Align::Right}},
          .rows = rows};
}

}  // namespace shardlens
