#include "core/trace/file/slice_ids.h"

#include <algorithm>
#include <iterator>

namespace shardlens {

void SliceIds::addEvent(EventId own) {
  ++events_;
  const bool continues = !runs_.empty() && own - runs_.back().own == events_ - runs_.back().id;
  if (!continues) runs_.push_back({own, events_});
}

void SliceIds::addTensor(TensorId own) {
  tensors_.push_back(own);
  tensorOf_.emplace(own, static_cast<TensorId>(tensors_.size()));
}

EventId SliceIds::eventOf(EventId own) const {
  const auto after = std::ranges::upper_bound(runs_, own, {}, &Run::own);
  if (after == runs_.begin()) return 0;
  const Run& run = *std::prev(after);
  const EventId end = after == runs_.end() ? events_ + 1 : after->id;
  return own - run.own < end - run.id ? run.id + (own - run.own) : 0;
}

TensorId SliceIds::tensorOf(TensorId own) const {
  const auto found = tensorOf_.find(own);
  return found == tensorOf_.end() ? 0 : found->second;
}

EventId SliceIds::ownEventOf(EventId id) const {
  if (id == 0) return 0;
  const Run& run = *std::prev(std::ranges::upper_bound(runs_, id, {}, &Run::id));
  return run.own + (id - run.id);
}

}  // namespace shardlens
