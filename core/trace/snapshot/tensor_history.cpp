#include "core/trace/snapshot/tensor_history.h"

#include <algorithm>

namespace shardlens {

bool TensorHistory::bear(EventId at, TensorId id) {
  if (id >= born_.size()) born_.resize(id + std::size_t{1});
  if (born_[id] != 0) return false;
  born_[id] = at;
  ids_.push_back(id);
  return true;
}

void TensorHistory::change(EventId at, const TensorState& state) {
  auto& newest = newest_[state.id];
  newest = versions_.add(newest, at, {state.changed, state.mask, state.hold, state.buffer});
  if (state.mask == 0) return;
  auto& masked = maskedBy_[state.mask];
  if (masked.empty() || masked.back() != state.id) masked.push_back(state.id);
}

std::optional<TensorState> TensorHistory::at(TensorId id, EventId position) const {
  if (!has(id, position)) return std::nullopt;
  TensorState state{.id = id, .born = born_[id], .changed = born_[id]};
  const auto newest = newest_.find(id);
  if (newest == newest_.end()) return state;
  if (const auto changed = versions_.at(newest->second, position)) {
    state.changed = changed->state.at;
    state.mask = changed->state.mask;
    state.hold = changed->state.hold;
    state.buffer = changed->state.buffer;
  }
  return state;
}

std::size_t TensorHistory::countAt(EventId position) const {
  const auto end = std::partition_point(ids_.begin(), ids_.end(),
                                        [&](TensorId id) { return born_[id] <= position; });
  return static_cast<std::size_t>(end - ids_.begin());
}

std::vector<TensorId> TensorHistory::maskedBy(TensorId mask, EventId position) const {
  std::vector<TensorId> found;
  const auto known = maskedBy_.find(mask);
  if (known == maskedBy_.end()) return found;
  for (const TensorId id : known->second) {
    const auto state = at(id, position);
    if (state && state->mask == mask) found.push_back(id);
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace shardlens
