#include "core/trace/snapshot/cache_history.h"

#include <algorithm>

namespace shardlens {

void CacheHistory::make(EventId miss) {
  places_.emplace(miss, static_cast<std::uint32_t>(entries_.size()));
  entries_.push_back({.made = miss, .hits = {}});
}

CacheHistory::Entry* CacheHistory::held(EventId miss) {
  const auto found = places_.find(miss);
  if (found == places_.end()) return nullptr;
  Entry& entry = entries_[found->second];
  return entry.evicted == 0 ? &entry : nullptr;
}

void CacheHistory::use(EventId miss, EventId hit) {
  if (Entry* entry = held(miss)) entry->hits.push_back(hit);
}

void CacheHistory::evict(EventId miss, EventId at) {
  if (Entry* entry = held(miss)) entry->evicted = at;
}

std::vector<std::uint32_t> CacheHistory::entriesAt(EventId position) const {
  std::vector<std::uint32_t> places;
  for (std::uint32_t place = 0; place < entries_.size(); ++place) {
    const Entry& entry = entries_[place];
    if (entry.made > position) break;
    if (entry.evicted == 0 || entry.evicted > position) places.push_back(place);
  }
  return places;
}

CacheEntry CacheHistory::at(std::uint32_t place, EventId position) const {
  const Entry& entry = entries_[place];
  const auto end = std::upper_bound(entry.hits.begin(), entry.hits.end(), position);
  const auto hits = static_cast<int>(end - entry.hits.begin());
  return {.made = entry.made, .hits = hits, .lastUse = hits == 0 ? entry.made : *std::prev(end)};
}

}  // namespace shardlens
