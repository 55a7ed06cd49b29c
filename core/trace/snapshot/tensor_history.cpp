#include "core/trace/snapshot/tensor_history.h"

#include <algorithm>

namespace shardlens {

TensorState& TensorHistory::change(EventId at, TensorId id) {
  if (id >= newest_.size()) newest_.resize(id + std::size_t{1});
  Version& version = newest_[id];
  if (version.since == 0) {
    version.state = {.id = id, .born = at};
    births_.add(at, id);
  } else if (version.since != at) {
    older_[id].push_back(version);
  }
  version.since = at;
  return version.state;
}

const TensorState* TensorHistory::newest(TensorId id) const {
  return id < newest_.size() && newest_[id].since != 0 ? &newest_[id].state : nullptr;
}

std::optional<TensorState> TensorHistory::at(TensorId id, EventId position) const {
  if (newest(id) == nullptr || newest_[id].state.born > position) return std::nullopt;
  if (newest_[id].since <= position) return newest_[id].state;
  const auto& older = older_.at(id);
  const auto next = std::upper_bound(
      older.begin(), older.end(), position,
      [](EventId wanted, const Version& version) { return wanted < version.since; });
  return std::prev(next)->state;
}

void TensorHistory::noteMask(TensorId id, TensorId mask) {
  auto& known = maskedBy_[mask];
  if (known.empty() || known.back() != id) known.push_back(id);
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
