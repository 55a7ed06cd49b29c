#include "core/trace/snapshot/cache_history.h"

#include <algorithm>

namespace shardlens {

void CacheHistory::miss(EventId at, StringId key, bool isKept) {
  const int misses = key == 0 ? 1 : ++missesOfKey_[key];
  if (!isKept) return;
  lives_.begin(at);
  hits_.emplace_back();
  misses_.push_back(misses);
}

int CacheHistory::missesOf(EventId made) const {
  const auto number = lives_.find(made);
  return number ? misses_[*number] : 0;
}

std::optional<std::uint32_t> CacheHistory::held(EventId miss) const {
  const auto number = lives_.find(miss);
  return number && lives_.isOpen(*number) ? number : std::nullopt;
}

void CacheHistory::use(EventId miss, EventId hit) {
  if (const auto number = held(miss)) {
    hits_[*number].push_back(hit);
    allHits_.push_back(hit);
  }
}

void CacheHistory::evict(EventId miss, EventId at) {
  if (const auto number = held(miss)) lives_.end(*number, at);
}

CacheEntry CacheHistory::at(std::uint32_t number, EventId position) const {
  const auto& hits = hits_[number];
  const EventId made = lives_.begunAt(number);
  const auto end = std::upper_bound(hits.begin(), hits.end(), position);
  const auto count = static_cast<int>(end - hits.begin());
  return {.made = made, .hits = count, .lastUse = count == 0 ? made : *std::prev(end)};
}

CacheHistory::Counts CacheHistory::countsAt(EventId position) const {
  const auto after = std::upper_bound(allHits_.begin(), allHits_.end(), position);
  return {.entries = lives_.at(position).size(),
          .made = lives_.begunBy(position),
          .hits = static_cast<std::size_t>(after - allHits_.begin())};
}

}  // namespace shardlens
