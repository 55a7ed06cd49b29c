#pragma once

#include "core/query/event_filter.h"

namespace shardlens {

// Whether a term, which parseQuery has checked, holds for an event of the journal.
EventFilter::Test makeEventTest(const Journal& journal, const Term& term);

}  // namespace shardlens
