#pragma once

#include "core/trace/snapshot/lifetimes.h"
#include "core/trace/snapshot/states.h"

#include <optional>
#include <vector>

namespace shardlens {

// What became of each entry of a cache, and when. An entry is known by the miss that made it; what
// is said of one that is not there is passed over.
class CacheHistory {
 public:
  void make(EventId miss);
  void use(EventId miss, EventId hit);
  void evict(EventId miss, EventId at);

  // Those that the cache holds, in the order in which they were made: their numbers here.
  std::vector<std::uint32_t> entriesAt(EventId position) const { return lives_.at(position); }
  CacheEntry at(std::uint32_t number, EventId position) const;

 private:
  std::optional<std::uint32_t> held(EventId miss) const;

  Lifetimes lives_;
  std::vector<std::vector<EventId>> hits_;  // of each entry, ascending
};

}  // namespace shardlens
