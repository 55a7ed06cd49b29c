#pragma once

#include "core/trace/journal/journal.h"
#include "core/trace/records/candidates_record.h"
#include "core/trace/records/lookup_record.h"
#include "core/trace/records/plan_record.h"

#include <string>

namespace shardlens::view {

// Read an event's detail, with placements in the current notation.
CandidatesRecord placedCandidates(const Journal& journal, const Event& event);
PlanRecord placedPlan(const Journal& journal, const Event& event);
LookupRecord placedLookup(const Journal& journal, const Event& event);
// Returns the key of a cache entry as text. `made` is the miss that made it. "" if not recorded.
std::string placedKey(const Journal& journal, EventId made);

}  // namespace shardlens::view
