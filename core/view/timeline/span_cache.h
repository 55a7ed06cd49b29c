#pragma once

#include "core/view/timeline/timeline_track.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace shardlens::view {

// A cache of the spans of leaves, which the tracks of a timeline share. It is cleared when it is
// full. Not thread-safe.
class SpanCache {
 public:
  using Spans = std::vector<TimelineSpan>;

  // Returns the spans of a leaf, or nullptr if they are not cached. They are valid until the cache
  // changes.
  const Spans* find(const TimelineTrack& track, std::size_t leaf) const {
    const auto found = leaves_.find({&track, leaf});
    return found == leaves_.end() ? nullptr : &found->second;
  }
  // Requires that the leaf is not cached.
  void put(const TimelineTrack& track, std::size_t leaf, Spans spans) {
    if (size_ + spans.size() > kMost) {
      leaves_.clear();
      awaiting_.clear();
      size_ = 0;
    }
    size_ += spans.size();
    if (!std::ranges::all_of(spans, &TimelineSpan::isWhole)) awaiting_.push_back({&track, leaf});
    leaves_.emplace(Key(&track, leaf), std::move(spans));
  }
  // Removes the leaves with collectives that a member had not called.
  void removeAwaiting() {
    for (const Key& key : awaiting_) {
      const auto found = leaves_.find(key);
      size_ -= found->second.size();
      leaves_.erase(found);
    }
    awaiting_.clear();
  }

 private:
  using Key = std::pair<const TimelineTrack*, std::size_t>;
  static constexpr std::size_t kMost = std::size_t{1} << 19;  // spans, some 40 MiB

  std::map<Key, Spans> leaves_;
  std::vector<Key> awaiting_;
  std::size_t size_ = 0;  // spans
};

}  // namespace shardlens::view
