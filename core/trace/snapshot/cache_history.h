#pragma once

#include "core/trace/snapshot/lifetimes.h"
#include "core/trace/snapshot/states.h"

#include <optional>
#include <unordered_map>
#include <vector>

namespace shardlens {

// What became of each entry of a cache, and when. An entry is known by the miss that made it; what
// is said of one that is not there is passed over.
class CacheHistory {
 public:
  // The key is known by the id of its text; 0: the recording does not say it. What is not kept is
  // missed, and makes no entry.
  void miss(EventId at, StringId key, bool isKept);
  void use(EventId miss, EventId hit);
  void evict(EventId miss, EventId at);

  // Those that the cache holds, in the order in which they were made: their numbers here.
  std::vector<std::uint32_t> entriesAt(EventId position) const { return lives_.at(position); }
  CacheEntry at(std::uint32_t number, EventId position) const;

  // How often the key of an entry had been missed when it was made, that miss included.
  int missesOf(EventId made) const;

  // What a cache came to up to a position: entries made and used, also of those that are gone.
  struct Counts {
    std::size_t entries = 0;  // that it holds
    std::size_t made = 0;
    std::size_t hits = 0;
    bool operator==(const Counts&) const = default;
  };
  Counts countsAt(EventId position) const;

 private:
  std::optional<std::uint32_t> held(EventId miss) const;

  Lifetimes lives_;
  std::vector<std::vector<EventId>> hits_;         // of each entry, ascending
  std::vector<int> misses_;                        // of each entry's key
  std::unordered_map<StringId, int> missesOfKey_;  // so far
  std::vector<EventId> allHits_;                   // ascending
};

}  // namespace shardlens
