#include "core/trace/merge/alignment.h"

#include <algorithm>
#include <iterator>

namespace shardlens {

void Alignment::add(EventId merged) {
  ++size_;
  const bool continues =
      !runs_.empty() && merged - runs_.back().merged == size_ - runs_.back().part;
  if (!continues) runs_.push_back({size_, merged});
}

EventId Alignment::mergedOf(EventId part) const {
  if (part == 0) return 0;
  const auto run = part >= runs_.back().part
                       ? std::prev(runs_.end())
                       : std::prev(std::upper_bound(
                             runs_.begin(), runs_.end(), part,
                             [](EventId key, const Run& each) { return key < each.part; }));
  return run->merged + (part - run->part);
}

EventId Alignment::newest(EventId merged) const {
  const auto after =
      std::upper_bound(runs_.begin(), runs_.end(), merged,
                       [](EventId key, const Run& each) { return key < each.merged; });
  if (after == runs_.begin()) return 0;
  const Run& run = *std::prev(after);
  const EventId last = after == runs_.end() ? size_ : after->part - 1;
  return std::min(run.part + (merged - run.merged), last);
}

EventId Alignment::partOf(EventId merged) const {
  const EventId part = newest(merged);
  return mergedOf(part) == merged ? part : 0;
}

}  // namespace shardlens
