#pragma once

#include "core/query/language/event_filter.h"

namespace shardlens {

// Returns the predicate of a term that passed checkTerm(). Ignores Term::isNot. Keeps a reference
// to the journal.
EventFilter::Test makeEventTest(const Journal& journal, const Term& term);

// Returns a test of whether a block may contain an event that matches the term; `test` is the
// term's predicate. Returns null if the term is negated, or if block summaries do not cover its
// field.
EventFilter::BlockTest makeBlockTest(const Term& term, const EventFilter::Test& test);

}  // namespace shardlens
