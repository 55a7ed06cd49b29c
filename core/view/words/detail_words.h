#pragma once

#include "core/trace/records/candidates_record.h"
#include "core/trace/records/check_record.h"
#include "core/trace/records/plan_record.h"
#include "core/trace/snapshot/states.h"
#include "core/view/words/cache_lookup.h"
#include "core/view/words/placement_words.h"

#include <string>
#include <string_view>

namespace shardlens::view {

// Texts for the details of events. Fields that a recording lacks are omitted.

std::string groupsText(std::string_view ranks);   // "0,1|2,3" -> "{0,1} {2,3}"; truncated
std::string missText(const CacheLookup& lookup);  // why a lookup missed; "" if unknown
// Returns the placements of several tensors: "S(0), R".
std::string listedText(const std::vector<RecordedPlacements>& list, const PlacementWords& words);
// The first candidate: ": S(0), R -> P(sum), sends nothing". "" without candidates.
std::string chosenText(const CandidatesRecord& record, const PlacementWords& words);
// Returns up to three candidates after the first, in recorded order (cheapest first): "replicate
// (each rank receives 90 B), batch (...)".
std::string rivalsText(const CandidatesRecord& record);

// Returns "rounding explains 2.3e-06", or "must be equal"; "" for records of earlier versions.
std::string boundText(const CheckRecord& check);
// Returns " by 0.031 (relative 0.25) at [4, 1] on rank 2: got 1.5, expected 1.25, rounding explains
// 0.0012"; ": REASON" without values.
std::string differenceText(const CheckRecord& check);

std::string holdersText(const BufferState& buffer);  // "x', y", or "none"

double microsecondsOf(const PlanRecord& plan);     // estimated sum of all steps
std::string moveText(const PlanStepRecord& step);  // "all_gather over tp"
// "slice over tp: R -> S(0), now (R, S(0))"
std::string stepText(const PlanStepRecord& step, const PlacementWords& words);
// "greedy", "via (R, S(1))"
std::string alternativeName(const AlternativeRecord& alternative, const PlacementWords& words);
// "greedy's (S(0)) -> (R): 1 collective, receives 96 B, 7.2 us, holds 192 B"
std::string alternativeText(const AlternativeRecord& alternative, const PlacementWords& words);

}  // namespace shardlens::view
