#pragma once

#include "core/trace/journal/journal.h"
#include "core/trace/records/candidates_record.h"
#include "core/trace/records/lookup_record.h"
#include "core/trace/records/plan_record.h"

#include <string>

namespace shardlens::view {

// What an event's detail says, with placements in the notation of the program.
CandidatesRecord placedCandidates(const Journal& journal, const Event& event);
PlanRecord placedPlan(const Journal& journal, const Event& event);
LookupRecord placedLookup(const Journal& journal, const Event& event);
// The question that an entry of a cache answers, known by the miss that made it; empty where the
// recording does not say.
std::string placedKey(const Journal& journal, EventId made);

}  // namespace shardlens::view
