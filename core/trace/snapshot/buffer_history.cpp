#include "core/trace/snapshot/buffer_history.h"

#include <algorithm>
#include <unordered_set>

namespace shardlens {

std::uint32_t BufferHistory::nameOf(std::string_view holder) {
  const auto known = nameIds_.find(holder);
  if (known != nameIds_.end()) return known->second;
  const auto id = static_cast<std::uint32_t>(names_.size());
  nameIds_.emplace(names_.emplace_back(holder), id);
  return id;
}

BufferHistory::Buffer& BufferHistory::bufferOf(EventId at, BufferId id) {
  const auto [place, isNew] = buffers_.try_emplace(id);
  if (isNew) {
    place->second.place = births_.size();
    births_.push_back({at, id});
  }
  return place->second;
}

void BufferHistory::note(EventId at, Buffer& buffer, Refs refs) {
  const Refs* before = versions_.newest(buffer.newest);
  const bool wasLive = before != nullptr && before->count > 0;
  const bool isLive = refs.count > 0;
  if (wasLive != isLive) live_.push_back({at, liveAt(at) + (isLive ? 1 : -1)});
  buffer.newest = versions_.add(buffer.newest, at, refs);
  changes_.push_back(at);
}

void BufferHistory::materialize(EventId at, BufferId id, int refcount, TensorId mask,
                                std::string_view holder) {
  Buffer& buffer = bufferOf(at, id);
  buffer.holdLives.begin(at);
  buffer.holds.push_back({nameOf(holder)});
  lasting_.emplace(at, id);
  Refs refs = newest(buffer);
  refs.hits += buffer.newest == 0 ? 0 : 1;
  refs.count = refcount;
  refs.mask = mask;
  note(at, buffer, refs);
}

BufferHistory::Refs BufferHistory::newest(const Buffer& buffer) const {
  const Refs* refs = versions_.newest(buffer.newest);
  return refs == nullptr ? Refs() : *refs;
}

void BufferHistory::touch(EventId at, BufferId id) {
  const auto found = buffers_.find(id);
  if (found == buffers_.end()) return;
  Refs refs = newest(found->second);
  ++refs.applied;
  note(at, found->second, refs);
}

std::vector<TensorId> BufferHistory::release(EventId at, BufferId id, int refcount, EventId hold) {
  Buffer& buffer = bufferOf(at, id);
  std::vector<TensorId> gone;
  const auto number = buffer.holdLives.find(hold);
  if (number && buffer.holdLives.isOpen(*number)) end(at, buffer, *number, gone);
  while (refcount == 0 && !buffer.holdLives.open().empty()) {
    end(at, buffer, buffer.holdLives.open().back(), gone);
  }
  Refs refs = newest(buffer);
  refs.count = refcount;
  ++refs.released;
  note(at, buffer, refs);
  return gone;
}

void BufferHistory::end(EventId at, Buffer& buffer, std::uint32_t hold,
                        std::vector<TensorId>& gone) {
  for (auto join = buffer.holds[hold].newestTensor; join != 0; join = joins_[join].before) {
    const std::uint32_t number = joins_[join].tensor;
    if (!buffer.tensorLives.isOpen(number)) continue;
    buffer.tensorLives.end(number, at);
    gone.push_back(buffer.tensors[number].tensor);
  }
  lasting_.erase(buffer.holdLives.begunAt(hold));
  buffer.holdLives.end(hold, at);
}

BufferId BufferHistory::heldBy(EventId hold) const {
  const auto found = lasting_.find(hold);
  return found == lasting_.end() ? 0 : found->second;
}

void BufferHistory::join(EventId at, EventId hold, TensorId tensor, std::string_view name) {
  Buffer& buffer = buffers_.at(lasting_.at(hold));
  const std::uint32_t number = buffer.holdLives.find(hold).value();
  Hold& its = buffer.holds[number];
  joins_.push_back({buffer.tensorLives.begin(at), its.newestTensor});
  its.newestTensor = static_cast<std::uint32_t>(joins_.size() - 1);
  buffer.tensors.push_back({tensor, nameOf(name), number});
}

void BufferHistory::leave(EventId at, EventId hold, TensorId tensor) {
  Buffer& buffer = buffers_.at(lasting_.at(hold));
  const Hold& its = buffer.holds[buffer.holdLives.find(hold).value()];
  for (auto join = its.newestTensor; join != 0; join = joins_[join].before) {
    const std::uint32_t number = joins_[join].tensor;
    if (buffer.tensors[number].tensor != tensor || !buffer.tensorLives.isOpen(number)) continue;
    return buffer.tensorLives.end(number, at);
  }
}

// Returns the names of the holders, in the order of their events. Each name appears once per hold.
std::vector<std::string> BufferHistory::holdersAt(const Buffer& buffer, EventId position) const {
  const auto holds = buffer.holdLives.at(position);
  std::vector<std::string> names;
  std::unordered_set<std::uint64_t> named;
  const auto add = [&](std::uint32_t hold, std::uint32_t name) {
    const bool isNew = named.insert(std::uint64_t{hold} << 32 | name).second;
    if (isNew && !names_[name].empty()) names.push_back(names_[name]);
  };
  auto hold = holds.begin();
  const auto addHoldsBefore = [&](EventId end) {
    for (; hold != holds.end() && buffer.holdLives.begunAt(*hold) < end; ++hold) {
      add(*hold, buffer.holds[*hold].name);
    }
  };
  for (const std::uint32_t number : buffer.tensorLives.at(position)) {
    addHoldsBefore(buffer.tensorLives.begunAt(number));
    add(buffer.tensors[number].hold, buffer.tensors[number].name);
  }
  addHoldsBefore(~EventId{0});
  return names;
}

std::optional<BufferState> BufferHistory::at(BufferId id, EventId position) const {
  const auto found = buffers_.find(id);
  if (found == buffers_.end()) return std::nullopt;
  const Buffer& buffer = found->second;
  const auto refs = versions_.at(buffer.newest, position);
  if (!refs) return std::nullopt;
  BufferState state{.id = id,
                    .refcount = refs->state.count,
                    .mask = refs->state.mask,
                    .holders = holdersAt(buffer, position),
                    .changed = refs->since};
  for (const std::uint32_t number : buffer.tensorLives.at(position)) {
    state.tensors.push_back(buffer.tensors[number].tensor);
  }
  return state;
}

BufferHistory::Counts BufferHistory::countsAt(BufferId id, EventId position) const {
  const auto found = buffers_.find(id);
  if (found == buffers_.end()) return {};
  const auto refs = versions_.at(found->second.newest, position);
  if (!refs) return {};
  return {.made = births_[found->second.place].at,
          .hits = refs->state.hits,
          .applied = refs->state.applied,
          .released = refs->state.released};
}

std::optional<std::size_t> BufferHistory::placeOf(BufferId id) const {
  const auto found = buffers_.find(id);
  return found == buffers_.end() ? std::nullopt : std::optional(found->second.place);
}

std::size_t BufferHistory::countAt(EventId position) const {
  const auto end = std::partition_point(births_.begin(), births_.end(),
                                        [&](const Birth& birth) { return birth.at <= position; });
  return static_cast<std::size_t>(end - births_.begin());
}

int BufferHistory::liveAt(EventId position) const {
  const auto next = std::partition_point(live_.begin(), live_.end(),
                                         [&](const Live& live) { return live.since <= position; });
  return next == live_.begin() ? 0 : std::prev(next)->count;
}

EventId BufferHistory::newestChangeAt(EventId position) const {
  const auto next = std::upper_bound(changes_.begin(), changes_.end(), position);
  return next == changes_.begin() ? 0 : *std::prev(next);
}

std::vector<BufferHistory::Change> BufferHistory::changesOf(BufferId id) const {
  std::vector<Change> changes;
  const auto found = buffers_.find(id);
  if (found == buffers_.end()) return changes;
  versions_.forEach(found->second.newest, [&](EventId since, const Refs& refs) {
    changes.push_back({since, refs.count});
  });
  std::reverse(changes.begin(), changes.end());
  return changes;
}

}  // namespace shardlens
