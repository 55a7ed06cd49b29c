#include "core/query/event_filter.h"

#include "core/query/event_tests.h"

#include <algorithm>

namespace shardlens {

EventFilter::EventFilter(const Journal& journal, const Query& query) : journal_(journal) {
  for (const Term& term : query) asked_.push_back({makeEventTest(journal, term), term.isNot});
}

EventFilter::~EventFilter() = default;

bool EventFilter::matches(EventId id) const { return matches(id, journal_.at(id)); }

bool EventFilter::matches(EventId id, const Event& event) const {
  return std::all_of(asked_.begin(), asked_.end(),
                     [&](const Asked& asked) { return asked.test(id, event) != asked.isNot; });
}

EventId EventFilter::next(EventId after) const {
  for (EventId id = after + 1; id <= journal_.size(); ++id) {
    if (matches(id)) return id;
  }
  return 0;
}

EventId EventFilter::previous(EventId before) const {
  for (EventId id = std::min(before, journal_.size() + 1); id-- > 1;) {
    if (matches(id)) return id;
  }
  return 0;
}

}  // namespace shardlens
