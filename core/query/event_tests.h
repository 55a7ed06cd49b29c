#pragma once

#include "core/query/event_filter.h"

namespace shardlens {

// Whether a term, which parseQuery has checked, holds for an event of the journal.
EventFilter::Test makeEventTest(const Journal& journal, const Term& term);

// Whether some event of a block may be one for which the term holds, its test being this one. Null
// where the summary of a block does not say.
EventFilter::BlockTest makeBlockTest(const Term& term, const EventFilter::Test& test);

}  // namespace shardlens
