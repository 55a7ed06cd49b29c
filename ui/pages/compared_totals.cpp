#include "ui/pages/compared_totals.h"

#include "core/model/byte_count.h"
#include "core/view/words/units.h"

#include <cstdlib>
#include <set>

namespace shardlens {
namespace {

using Text = std::string (*)(std::int64_t);

std::string numberOf(std::int64_t number) { return std::to_string(number); }

// Fewer is better in each of these quantities.
view::Row rowOf(const std::string& name, std::int64_t left, std::int64_t right, Text text) {
  const std::int64_t more = right - left;
  const std::string sign = more > 0 ? "+" : more < 0 ? "−" : "";
  const auto tone = more > 0 ? view::Tone::Warn : more < 0 ? view::Tone::Good : view::Tone::Quiet;
  return {.cells = {
              {name},
              {text(left), view::Tone::Plain, static_cast<double>(left)},
              {text(right), view::Tone::Plain, static_cast<double>(right)},
              {more == 0 ? "same" : sign + text(std::abs(more)), tone, static_cast<double>(more)}}};
}

}  // namespace

view::Table comparedTotals(const RunTotals& left, const RunTotals& right) {
  std::vector<view::Row> rows;
  const auto add = [&](const std::string& name, std::int64_t ours, std::int64_t theirs, Text text) {
    if (ours != 0 || theirs != 0) rows.push_back(rowOf(name, ours, theirs, text));
  };
  add("steps", left.steps(), right.steps(), numberOf);
  add("time", left.nanoseconds(), right.nanoseconds(), view::durationText);
  add("collectives", left.collectives(), right.collectives(), numberOf);
  add("sent", left.bytes(), right.bytes(), byteCountText);
  std::set<std::string> axes;
  for (const RunTotals* run : {&left, &right}) {
    for (const auto& [axis, bytes] : run->bytesByAxis()) axes.insert(axis);
  }
  const auto bytesOf = [](const RunTotals& run, const std::string& axis) -> std::int64_t {
    const auto found = run.bytesByAxis().find(axis);
    return found == run.bytesByAxis().end() ? 0 : found->second;
  };
  for (const std::string& axis : axes) {
    if (axis.empty() || axes.size() < 2) continue;
    add("sent over " + axis, bytesOf(left, axis), bytesOf(right, axis), byteCountText);
  }
  add("implicit redistributions", left.implicit(), right.implicit(), numberOf);
  const auto ours = left.memory();
  const auto theirs = right.memory();
  if (ours && theirs) add("tensors, largest rank", ours->most, theirs->most, byteCountText);
  return {.columns = {{"total"},
                      {"A", view::Align::Right},
                      {"B", view::Align::Right},
                      {"B − A", view::Align::Right}},
          .rows = rows};
}

}  // namespace shardlens
