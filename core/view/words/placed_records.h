#pragma once

#include "core/trace/journal/journal.h"
#include "core/trace/records/candidates_record.h"
#include "core/trace/records/lookup_record.h"
#include "core/trace/records/plan_record.h"
#include "core/view/words/placement_words.h"

#include <string>

namespace shardlens::view {

// Read an event's detail, with placements in a notation.
CandidatesRecord placedCandidates(const Journal& journal, const Event& event, Notation notation);
PlanRecord placedPlan(const Journal& journal, const Event& event, Notation notation);
LookupRecord placedLookup(const Journal& journal, const Event& event, Notation notation);
// Returns the key of a cache entry as text. `made` is the miss that made it. "" if not recorded.
std::string placedKey(const Journal& journal, EventId made, Notation notation);

}  // namespace shardlens::view
