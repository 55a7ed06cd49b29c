#include "core/view/tables/run_costs.h"

#include "core/base/wrapped_sum.h"
#include "core/model/byte_count.h"
#include "core/view/words/units.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <ranges>
#include <set>
#include <tuple>
#include <utility>

namespace shardlens::view {
namespace {

// Returns the implicit redistribution around the event, or 0.
EventId implicitAround(const Journal& journal, EventId id) {
  for (; id != 0; id = journal.at(id).parent) {
    const Event event = journal.at(id);
    if (event.kind == EventKind::Redistribute && event.verdict == Verdict::Implicit) return id;
  }
  return 0;
}

const StepCost& stepAt(const RunCosts& costs, std::size_t step) {
  static const StepCost kNone;
  return step < costs.steps.size() ? costs.steps[step] : kNone;
}

std::string implicitText(int implicit) { return fmt::format("{} implicit", implicit); }

std::string sentWithImplicit(const StepCost& cost) {
  return cost.implicit == 0 ? sentText(cost) : sentText(cost) + ", " + implicitText(cost.implicit);
}

// Returns how much longer the collectives take; 0 for a difference that may come from rounding.
std::int64_t timeDifference(const StepCost& before, const StepCost& after) {
  constexpr std::int64_t kLeast = 10, kLeastPart = 1000;
  const std::int64_t difference = after.nanoseconds - before.nanoseconds;
  const std::int64_t most = std::max(before.nanoseconds, after.nanoseconds);
  return std::abs(difference) < std::max(kLeast, most / kLeastPart) ? 0 : difference;
}

// Returns the differences in bytes, time and implicit redistributions.
std::tuple<std::int64_t, std::int64_t, int> differences(const StepCost& before,
                                                        const StepCost& after) {
  return {after.bytes - before.bytes, timeDifference(before, after),
          after.implicit - before.implicit};
}

constexpr std::tuple<std::int64_t, std::int64_t, int> kEqual{0, 0, 0};

Tone toneOf(const StepCost& before, const StepCost& after) {
  const auto difference = differences(before, after);
  return difference < kEqual ? Tone::Good : difference > kEqual ? Tone::Warn : Tone::Quiet;
}

Row rowOf(const std::string& name, const StepCost& before, const StepCost& after, bool isAll) {
  const Tone tone = isAll ? Tone::Strong : Tone::Plain;
  const auto bytes = [&](const StepCost& cost) {
    return Cell{
        .text = byteCountText(cost.bytes), .tone = tone, .number = static_cast<double>(cost.bytes)};
  };
  return {.cells = {{.text = name, .tone = tone},
                    {.text = sentWithImplicit(before), .tone = tone},
                    {.text = sentWithImplicit(after), .tone = tone},
                    bytes(before),
                    bytes(after),
                    {.text = costsDifference(before, after), .tone = toneOf(before, after)}},
          .tooltip = name,
          .marked = isAll};
}

}  // namespace

void StepCost::add(const StepCost& other) {
  for (const auto& [kind, count] : other.collectives) collectives[kind] += count;
  increase(bytes, other.bytes);
  increase(nanoseconds, other.nanoseconds);
  implicit += other.implicit;
}

StepCost RunCosts::all() const {
  StepCost sum;
  for (const StepCost& step : steps) sum.add(step);
  return sum;
}

RunCosts costsOf(const Journal& journal) {
  RunCosts costs;
  std::set<EventId> implicit;
  for (EventId id = 1; id <= journal.size(); ++id) {
    const Event event = journal.at(id);
    if (event.step < 0) continue;
    const auto step = static_cast<std::size_t>(event.step);
    if (event.kind == EventKind::Step) {
      costs.steps.resize(std::max(costs.steps.size(), step + 1));
      costs.steps[step].name = journal.name(event);
    }
    if (step >= costs.steps.size()) continue;
    if (event.kind == EventKind::Error) {
      costs.refusal = journal.name(event);
      costs.refusedStep = event.step;
    }
    if (event.kind != EventKind::Collective) continue;
    StepCost& cost = costs.steps[step];
    ++cost.collectives[std::string(journal.name(event))];
    increase(cost.bytes, event.bytes);
    increase(cost.nanoseconds, std::max<std::int64_t>(event.duration, 0));
    const EventId around = implicitAround(journal, id);
    if (around != 0 && implicit.insert(around).second) ++cost.implicit;
  }
  return costs;
}

std::string sentText(const StepCost& cost) {
  std::string text;
  for (const auto& [kind, count] : cost.collectives) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, kind);
  }
  return text.empty() ? "nothing" : text;
}

std::string costsDifference(const StepCost& before, const StepCost& after) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  const auto word = [](auto now, auto then) { return now < then ? "less" : "more"; };
  if (const auto bytes = after.bytes - before.bytes; bytes != 0) {
    add(byteCountText(std::abs(bytes)) + " " + word(after.bytes, before.bytes));
  }
  if (const auto time = timeDifference(before, after); time != 0) {
    add(durationText(std::abs(time)) + " " + word(after.nanoseconds, before.nanoseconds));
  }
  if (const int implicit = after.implicit - before.implicit; implicit != 0) {
    add(implicitText(std::abs(implicit)) + (implicit < 0 ? " fewer" : " more"));
  }
  if (text.empty() && before.collectives != after.collectives) return "different collectives";
  return text.empty() ? "unchanged" : text;
}

Table costsTable(const RunCosts& before, const RunCosts& after) {
  const auto isChanged = [&](std::size_t step) {
    const StepCost &then = stepAt(before, step), &now = stepAt(after, step);
    return differences(then, now) != kEqual || then.collectives != now.collectives;
  };
  const auto steps =
      std::views::iota(std::size_t{0}, std::max(before.steps.size(), after.steps.size()));
  const bool hasChanged = std::ranges::any_of(steps, isChanged);
  std::vector<Row> rows;
  for (const std::size_t step : steps) {
    const StepCost &then = stepAt(before, step), &now = stepAt(after, step);
    if (then.collectives.empty() && now.collectives.empty()) continue;
    if (hasChanged && !isChanged(step)) continue;
    rows.push_back(rowOf(now.name.empty() ? then.name : now.name, then, now, /*isAll=*/false));
  }
  rows.push_back(rowOf("all", before.all(), after.all(), /*isAll=*/true));
  return {.columns = {{"step"},
                      {"before"},
                      {"changed"},
                      {"bytes", Align::Right},
                      {"changed", Align::Right},
                      {"difference"}},
          .rows = Rows(std::move(rows))};
}

}  // namespace shardlens::view
