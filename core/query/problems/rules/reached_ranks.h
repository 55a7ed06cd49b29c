#pragma once

#include "core/trace/journal/collective_groups.h"

#include <set>

namespace shardlens {

// The ranks that data of some ranks may have reached through collectives. A copyable value.
class ReachedRanks {
 public:
  bool empty() const { return ranks_.empty(); }
  bool contains(int rank) const { return ranks_.contains(rank); }
  // Adds a rank whose data spreads from the event `since` on, which must not decrease. Call
  // spread() with `since` before; otherwise collectives before `since` count for this rank, too.
  void add(int rank, EventId since);
  // Adds the ranks that collectives before the event `until` have reached. Linear in the events
  // since the last call.
  void spread(const Journal& journal, EventId until);

 private:
  void spread(const Journal& journal, const Event& event);

  std::set<int> ranks_;
  CollectiveGroups groups_;
  EventId seen_ = 0;  // the last event that was read
};

}  // namespace shardlens
