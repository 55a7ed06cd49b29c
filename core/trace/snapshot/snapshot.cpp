#include "core/trace/snapshot/snapshot.h"

#include "core/trace/snapshot/snapshot_fold.h"

#include <algorithm>

namespace shardlens {

namespace {

constexpr EventId kKeyframeDistance = 1024;
constexpr std::size_t kBytesWorthAnEvent = 256;

// Roughly what a copy costs, in the events that could be folded instead: keyframes that far apart
// together cost no more than the folding did, however large the snapshots grow.
EventId distanceAfter(const Snapshot& snapshot) {
  const std::size_t entries =
      snapshot.strategyCache.entries.size() + snapshot.planCache.entries.size();
  const std::size_t bytes = snapshot.tensors.size() * sizeof(TensorState) +
                            snapshot.buffers.size() * sizeof(BufferState) +
                            entries * sizeof(CacheEntry);
  return std::max(kKeyframeDistance, static_cast<EventId>(bytes / kBytesWorthAnEvent));
}

}  // namespace

Replay::Replay(const Journal& journal)
    : journal_(journal), fold_(std::make_unique<SnapshotFold>(journal)) {}

Replay::~Replay() = default;

const Snapshot& Replay::at(EventId position) {
  position = std::min(position, journal_.size());
  startNear(position);
  while (fold_->state().position < position) {
    fold_->applyNext();
    keepKeyframe();
  }
  fold_->findOpen();
  return fold_->state();
}

// From the newest known snapshot that is not past the position: a keyframe, the beginning, or
// where the fold stands already.
void Replay::startNear(EventId position) {
  const auto next = std::upper_bound(
      keyframes_.begin(), keyframes_.end(), position,
      [](EventId wanted, const Snapshot& keyframe) { return wanted < keyframe.position; });
  const bool none = next == keyframes_.begin();
  const EventId nearest = none ? 0 : std::prev(next)->position;
  const EventId here = fold_->state().position;
  if (here <= position && here >= nearest) return;
  fold_->restart(none ? Snapshot{} : *std::prev(next));
}

void Replay::keepKeyframe() {
  const Snapshot& state = fold_->state();
  const EventId last = keyframes_.empty() ? 0 : keyframes_.back().position;
  if (state.position < last || state.position - last < distanceAfter(state)) return;
  keyframes_.push_back(state);
}

}  // namespace shardlens
