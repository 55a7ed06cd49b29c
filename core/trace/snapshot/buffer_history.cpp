#include "core/trace/snapshot/buffer_history.h"

#include <algorithm>

namespace shardlens {

BufferState& BufferHistory::change(BufferId id) {
  History& history = buffers_[id];
  history.newest.id = id;
  if (!std::exchange(history.isTouched, true)) touched_.push_back(id);
  return history.newest;
}

BufferState* BufferHistory::newest(BufferId id) {
  const auto found = buffers_.find(id);
  return found == buffers_.end() ? nullptr : &found->second.newest;
}

std::uint32_t BufferHistory::nameOf(const std::string& holder) {
  const auto next = static_cast<std::uint32_t>(names_.size());
  const auto [known, isNew] = nameIds_.try_emplace(holder, next);
  if (isNew) names_.push_back(holder);
  return known->second;
}

void BufferHistory::keep(EventId at) {
  for (const BufferId id : touched_) {
    History& history = buffers_[id];
    const BufferState& state = history.newest;
    if (history.versions.empty()) births_.add(at, id);
    history.versions.push_back({.since = at,
                                .changed = state.changed,
                                .refcount = state.refcount,
                                .mask = state.mask,
                                .lists = lists_.size(),
                                .holders = static_cast<std::uint32_t>(state.holders.size()),
                                .tensors = static_cast<std::uint32_t>(state.tensors.size())});
    for (const auto& holder : state.holders) lists_.push_back(nameOf(holder));
    lists_.insert(lists_.end(), state.tensors.begin(), state.tensors.end());
    history.isTouched = false;
  }
  touched_.clear();
}

std::optional<BufferState> BufferHistory::at(BufferId id, EventId position) const {
  const auto found = buffers_.find(id);
  if (found == buffers_.end()) return std::nullopt;
  const auto& versions = found->second.versions;
  const auto next = std::upper_bound(
      versions.begin(), versions.end(), position,
      [](EventId wanted, const Version& version) { return wanted < version.since; });
  if (next == versions.begin()) return std::nullopt;
  const Version& version = *std::prev(next);
  BufferState state{
      .id = id, .refcount = version.refcount, .mask = version.mask, .changed = version.changed};
  const auto lists = lists_.begin() + static_cast<std::ptrdiff_t>(version.lists);
  const auto tensors = lists + version.holders;
  for (auto name = lists; name != tensors; ++name) state.holders.push_back(names_[*name]);
  state.tensors.assign(tensors, tensors + version.tensors);
  return state;
}

std::vector<BufferHistory::Change> BufferHistory::changesOf(BufferId id) const {
  std::vector<Change> changes;
  const auto found = buffers_.find(id);
  if (found == buffers_.end()) return changes;
  for (const Version& version : found->second.versions) {
    if (version.since == version.changed) changes.push_back({version.since, version.refcount});
  }
  return changes;
}

}  // namespace shardlens
