#pragma once

#include "core/trace/snapshot/states.h"

#include <unordered_map>
#include <vector>

namespace shardlens {

// What became of each entry of a cache, and when.
class CacheHistory {
 public:
  void make(EventId miss);
  // What is said of an entry that is not there is passed over.
  void use(EventId miss, EventId hit);
  void evict(EventId miss, EventId at);

  // Those that the cache holds, in the order in which they were made: their places here.
  std::vector<std::uint32_t> entriesAt(EventId position) const;
  CacheEntry at(std::uint32_t place, EventId position) const;

 private:
  struct Entry {
    EventId made;
    EventId evicted = 0;
    std::vector<EventId> hits;  // ascending
  };
  Entry* held(EventId miss);

  std::vector<Entry> entries_;
  std::unordered_map<EventId, std::uint32_t> places_;  // by the miss that made it
};

}  // namespace shardlens
