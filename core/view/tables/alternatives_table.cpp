#include "core/view/tables/alternatives_table.h"

#include "core/view/words/detail_words.h"
#include "core/view/words/names.h"
#include "core/view/words/units.h"

namespace shardlens::view {
namespace {

Row rowOf(const AlternativeRecord& one, const PlacementWords& words, EventId event) {
  const std::string name = alternativeName(one, words);
  const std::string route = words.of(one.route);
  return {.cells = {{name},
                    {.text = std::to_string(one.collectives),
                     .number = static_cast<double>(one.collectives)},
                    {.text = microsecondsText(one.microseconds), .number = one.microseconds},
                    {.text = estimatedBytesText(one.bytes), .number = one.bytes},
                    {.text = estimatedBytesText(one.peak), .number = one.peak},
                    {route}},
          .tooltip = name + ": " + shortened(route),
          .event = event,
          .marked = one.chosen};
}

}  // namespace

Table alternativesTable(const std::vector<AlternativeRecord>& alternatives,
                        const PlacementWords& words, EventId event) {
  Table table{.columns = {{"plan"},
                          {"collectives", Align::Right},
                          {"estimated", Align::Right},
                          {"received", Align::Right},
                          {"memory", Align::Right},
                          {"steps"}},
              .rows = {}};
  std::vector<Row> rows;
  for (const auto& one : alternatives) rows.push_back(rowOf(one, words, event));
  table.rows = std::move(rows);
  return table;
}

std::string searchText(const PlanRecord& plan) {
  std::string text;
  if (plan.explored) text = plan.planner + " explored " + plural(*plan.explored, "state");
  if (plan.caveat.empty()) return text;
  return text + (text.empty() ? "" : "; ") + "a cheaper plan may exist: " + plan.caveat;
}

}  // namespace shardlens::view
