#include "core/view/tables/candidates_table.h"

#include "core/base/text.h"
#include "core/model/byte_count.h"
#include "core/view/words/names.h"
#include "core/view/words/placed_records.h"
#include "core/view/words/units.h"

#include <algorithm>

namespace shardlens::view {
namespace {

std::string changeText(const CandidateRecord& candidate) {
  return shortened(joined(candidate.inputs)) + " → " + shortened(joined(candidate.outputs));
}

Row rowOf(const CandidateRecord& candidate, EventId event) {
  const auto bytes = candidate.bytes.value_or(0);
  return {.cells = {{candidate.name},
                    {shortened(joined(candidate.inputs))},
                    {shortened(joined(candidate.outputs))},
                    {.text = byteCountText(bytes), .number = static_cast<double>(bytes)},
                    {.text = microsecondsText(candidate.cost), .number = candidate.cost}},
          .tooltip = candidate.name + ": " + changeText(candidate),
          .event = event,
          .marked = candidate.chosen};
}

std::string verdictOf(const std::vector<CandidateRecord>& candidates) {
  const auto won = std::find_if(candidates.begin(), candidates.end(),
                                [](const auto& candidate) { return candidate.chosen; });
  if (won == candidates.end()) return {};
  const auto named = std::count_if(candidates.begin(), candidates.end(),
                                   [&](const auto& other) { return other.name == won->name; });
  return won->name + " won" + (named == 1 ? "" : ": " + changeText(*won));
}

}  // namespace

CandidatesTable candidatesTable(const Journal& journal, EventId position, EventId decided,
                                Notation notation) {
  CandidatesTable shown;
  shown.table.columns = {
      {"candidate"}, {"inputs"}, {"output"}, {"receives", Align::Right}, {"cost", Align::Right}};
  shown.decision = strategyDecision(journal, position, decided);
  if (shown.decision.subject != 0) {
    shown.operatorName = journal.name(journal.at(shown.decision.subject));
  }
  const EventId event = shown.decision.event;
  if (event == 0) return shown;
  const auto candidates = placedCandidates(journal, journal.at(event), notation).candidates;
  std::vector<Row> rows;
  for (const auto& candidate : candidates) rows.push_back(rowOf(candidate, event));
  shown.table.rows = std::move(rows);
  shown.verdict = verdictOf(candidates);
  shown.leftOut = std::max(journal.at(event).count - static_cast<int>(candidates.size()), 0);
  return shown;
}

}  // namespace shardlens::view
