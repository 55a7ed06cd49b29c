#include "core/view/tables/candidates_table.h"

#include "core/base/text.h"
#include "core/model/byte_count.h"
#include "core/view/words/detail_words.h"
#include "core/view/words/names.h"
#include "core/view/words/placement_words.h"
#include "core/view/words/units.h"

#include <algorithm>

namespace shardlens::view {
namespace {

std::string shortList(const std::vector<RecordedPlacements>& list, const PlacementWords& words) {
  return shortened(listedText(list, words));
}

std::string changeText(const CandidateRecord& candidate, const PlacementWords& words) {
  return shortList(candidate.inputs, words) + " → " + shortList(candidate.outputs, words);
}

Row rowOf(const CandidateRecord& candidate, const PlacementWords& words, EventId event) {
  return {.cells = {{candidate.name},
                    {shortList(candidate.inputs, words)},
                    {shortList(candidate.outputs, words)},
                    candidate.bytes ? Cell{.text = byteCountText(*candidate.bytes),
                                           .number = static_cast<double>(*candidate.bytes)}
                                    : Cell(),
                    candidate.cost
                        ? Cell{.text = microsecondsText(*candidate.cost), .number = candidate.cost}
                        : Cell()},
          .tooltip = candidate.name + ": " + changeText(candidate, words),
          .event = event,
          .marked = candidate.chosen};
}

std::string verdictOf(const std::vector<CandidateRecord>& candidates, const PlacementWords& words) {
  const auto won = std::find_if(candidates.begin(), candidates.end(),
                                [](const auto& candidate) { return candidate.chosen; });
  if (won == candidates.end()) return {};
  const auto named = std::count_if(candidates.begin(), candidates.end(),
                                   [&](const auto& other) { return other.name == won->name; });
  return "chosen: " + won->name + (named == 1 ? "" : ": " + changeText(*won, words));
}

}  // namespace

CandidatesTable candidatesTable(const Journal& journal, EventId position, EventId decided,
                                Notation notation) {
  CandidatesTable shown;
  shown.table.columns = {{"strategy"},
                         {"inputs"},
                         {"output"},
                         {"received", Align::Right},
                         {"estimated", Align::Right}};
  shown.decision = strategyDecision(journal, position, decided);
  if (shown.decision.subject != 0) {
    shown.operatorName = journal.name(journal.at(shown.decision.subject));
  }
  const EventId event = shown.decision.event;
  if (event == 0) return shown;
  const PlacementWords words(journal, notation);
  const auto candidates = readCandidates(journal.detail(journal.at(event))).candidates;
  std::vector<Row> rows;
  for (const auto& candidate : candidates) rows.push_back(rowOf(candidate, words, event));
  shown.table.rows = std::move(rows);
  shown.verdict = verdictOf(candidates, words);
  shown.leftOut = std::max(journal.at(event).count - static_cast<int>(candidates.size()), 0);
  return shown;
}

}  // namespace shardlens::view
