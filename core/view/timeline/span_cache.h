#pragma once

#include "core/view/timeline/timeline_track.h"

#include <algorithm>
#include <list>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace shardlens::view {

// A cache of the spans of leaves, which the tracks of a timeline share. Evicts the least recently
// used leaves when it is full, because a layout reads the same leaves several times. Not
// thread-safe.
class SpanCache {
 public:
  using Spans = std::vector<TimelineSpan>;
  static constexpr std::size_t kMost = std::size_t{1} << 19;  // spans, some 40 MiB

  // Returns the spans of a leaf, or nullptr if they are not cached. They are valid until the cache
  // changes.
  const Spans* find(const TimelineTrack& track, std::size_t leaf) {
    const auto found = places_.find({&track, leaf});
    if (found == places_.end()) return nullptr;
    leaves_.splice(leaves_.begin(), leaves_, found->second);
    return &found->second->second;
  }
  // Requires that the leaf is not cached.
  void put(const TimelineTrack& track, std::size_t leaf, Spans spans) {
    size_ += spans.size();
    if (!std::ranges::all_of(spans, &TimelineSpan::isWhole)) awaiting_.emplace(&track, leaf);
    leaves_.emplace_front(Key(&track, leaf), std::move(spans));
    places_.emplace(leaves_.front().first, leaves_.begin());
    while (size_ > kMost) remove(leaves_.back().first);
  }
  // Removes the leaves with collectives that a member had not called.
  void removeAwaiting() {
    for (const Key& key : awaiting_) remove(key);
    awaiting_.clear();
  }

 private:
  using Key = std::pair<const TimelineTrack*, std::size_t>;
  using Leaves = std::list<std::pair<Key, Spans>>;

  // Does nothing if the leaf is not cached.
  void remove(Key key) {
    const auto found = places_.find(key);
    if (found == places_.end()) return;
    size_ -= found->second->second.size();
    leaves_.erase(found->second);
    places_.erase(found);
  }

  Leaves leaves_;  // the most recently used first
  std::map<Key, Leaves::iterator> places_;
  std::set<Key> awaiting_;  // leaves for removeAwaiting(); some may be evicted
  std::size_t size_ = 0;    // spans
};

}  // namespace shardlens::view
