#pragma once

#include "core/trace/snapshot/lifetimes.h"
#include "core/trace/snapshot/states.h"

#include <optional>
#include <unordered_map>
#include <vector>

namespace shardlens {

// The history of a cache's entries. An entry is identified by the miss that created it. Calls for
// unknown or evicted entries are ignored. Events must be added in order.
class CacheHistory {
 public:
  // Records a miss. `key`: the string id of the key, 0 if not recorded. Creates an entry if the
  // answer `isKept`.
  void miss(EventId at, StringId key, bool isKept);
  // Records a hit of the entry that `miss` created.
  void use(EventId miss, EventId hit);
  void evict(EventId miss, EventId at);

  // Returns the numbers of the entries in the cache at a position, in the order of creation.
  // Numbers count all entries ever created, from 0.
  std::vector<std::uint32_t> entriesAt(EventId position) const { return lives_.at(position); }
  // Returns an entry with its hits up to the position. lastUse is the miss if there was no hit.
  CacheEntry at(std::uint32_t number, EventId position) const;

  // Returns how often the key of an entry had been missed when the entry was created, that miss
  // included; 1 if the key was not recorded, 0 if `made` created no entry.
  int missesOf(EventId made) const;

  // Counts of a cache up to a position, evicted entries included in made and hits.
  struct Counts {
    std::size_t entries = 0;  // currently in the cache
    std::size_t made = 0;
    std::size_t hits = 0;
    bool operator==(const Counts&) const = default;
  };
  Counts countsAt(EventId position) const;

 private:
  std::optional<std::uint32_t> held(EventId miss) const;

  Lifetimes lives_;
  std::vector<std::vector<EventId>> hits_;         // by entry number, ascending
  std::vector<int> misses_;                        // by entry number: see missesOf()
  std::unordered_map<StringId, int> missesOfKey_;  // misses so far, by key
  std::vector<EventId> allHits_;                   // of all entries, ascending
};

}  // namespace shardlens
