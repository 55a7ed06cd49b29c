#pragma once

#include "core/query/language/event_filter.h"

namespace shardlens {

// Return the predicates of the terms `rank:` and `role:` and of the word `diverged`. They keep a
// reference to the journal. See makeEventTest().
EventFilter::Test testOfRanks(const Journal& journal, const Term& term);
EventFilter::Test testOfRoles(const Journal& journal, const Term& term);
EventFilter::Test testOfDivergences(const Journal& journal);

}  // namespace shardlens
