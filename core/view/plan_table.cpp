#include "core/view/plan_table.h"

#include "core/base/text.h"
#include "core/view/detail_words.h"
#include "core/view/names.h"
#include "core/view/placed_records.h"
#include "core/view/placement_words.h"
#include "core/view/units.h"

#include <algorithm>

namespace shardlens::view {
namespace {

std::string titleOf(const Journal& journal, EventId id) {
  if (id == 0 || journal.at(id).kind != EventKind::Redistribute) return {};
  const Event& event = journal.at(id);
  const auto name = event.subject == 0 ? "" : journal.tensor(event.subject).name + ": ";
  return name + shortened(PlacementWords(journal, event.subject).in(journal.name(event)));
}

// What the collectives of a redistribution took that are over by then.
std::int64_t nanosecondsTaken(const Journal& journal, EventId redistribution, EventId position) {
  std::int64_t sum = 0;
  for (EventId id = redistribution + 1; id <= position; ++id) {
    const Event& event = journal.at(id);
    if (event.parent < redistribution) break;
    if (event.kind == EventKind::Collective) sum += std::max<std::int64_t>(event.duration, 0);
  }
  return sum;
}

std::string summaryOf(const PlanRecord& plan, std::int64_t taken) {
  std::vector<std::string> words;
  if (const double sum = microsecondsOf(plan); sum > 0) {
    words.push_back("about " + microsecondsText(sum));
  }
  if (taken > 0) words.push_back("took " + durationText(taken));
  return joined(words);
}

// "(R, S(0))" as a table has room for it.
std::string bare(const std::string& placements) {
  return placements.starts_with('(') ? placements.substr(1, placements.size() - 2) : placements;
}

Row rowOf(const PlanStepRecord& step, EventId event) {
  const auto change = step.from + " → " + step.to;
  const Cell none{};
  return {.cells = {{step.move},
                    {step.axis},
                    {shortened(step.after.empty() ? change : bare(step.after))},
                    step.move.empty()
                        ? none
                        : Cell{.text = estimatedBytesText(step.bytes), .number = step.bytes},
                    step.microseconds > 0 ? Cell{.text = microsecondsText(step.microseconds),
                                                 .number = step.microseconds}
                                          : none},
          .tooltip = step.axis + ": " + change,
          .event = event};
}

}  // namespace

PlanTable planTable(const Journal& journal, EventId position, EventId decided) {
  PlanTable shown;
  shown.table.columns = {
      {"move"}, {"over"}, {"then"}, {"receives", Align::Right}, {"time", Align::Right}};
  shown.decision = planDecision(journal, position, decided);
  const EventId event = shown.decision.event;
  if (event == 0) return shown;
  shown.plan = placedPlan(journal, journal.at(event));
  std::vector<Row> rows;
  for (const auto& step : shown.plan.steps) rows.push_back(rowOf(step, event));
  shown.table.rows = std::move(rows);
  shown.title = titleOf(journal, shown.decision.subject);
  const auto taken =
      shown.title.empty() ? 0 : nanosecondsTaken(journal, shown.decision.subject, position);
  shown.summary = summaryOf(shown.plan, taken);
  return shown;
}

}  // namespace shardlens::view
