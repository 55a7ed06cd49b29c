#pragma once

#include "core/trace/records/candidates_record.h"
#include "core/trace/records/check_record.h"
#include "core/trace/records/plan_record.h"
#include "core/trace/snapshot/states.h"
#include "core/view/cache_lookup.h"

#include <string>
#include <string_view>

namespace shardlens::view {

// Words for what the records of events say. What an older recording, or another program's, leaves
// out is left out of the words.

std::string groupsText(std::string_view ranks);   // "0,1|2,3" -> "{0,1} {2,3}", not all of many
std::string missText(const CacheLookup& lookup);  // why a look-up found nothing
std::string chosenText(const CandidatesRecord& record);  // ": S(0), R -> P(sum), sends nothing"
// The next best candidates, cheapest first: "replicate (each rank receives 90 B), batch (...)".
std::string rivalsText(const CandidatesRecord& record);

// " by at most 0.031 (relative 0.25) at [4, 1] on rank 2: got 1.5, expected 1.25"
std::string differenceText(const CheckRecord& check);

std::string holdersText(const BufferState& buffer);  // "x', y"; "nobody"

double microsecondsOf(const PlanRecord& plan);     // of all steps
std::string moveText(const PlanStepRecord& step);  // "all_gather over tp"
std::string stepText(const PlanStepRecord& step);  // "cut over tp: R -> S(0), now (R, S(0))"
// "greedy's (S(0)) -> (R): 1 collective, receives 96 B, 7.2 us, holds 192 B"
std::string alternativeText(const AlternativeRecord& alternative);

}  // namespace shardlens::view
