#include "core/trace/snapshot/snapshot_fold.h"

#include "core/trace/records/lookup_record.h"
#include "core/trace/records/mask_buffer_record.h"

#include <algorithm>
#include <limits>

namespace shardlens {

namespace {

template <class States>
auto lowerBound(States& states, std::uint32_t id) {
  return std::lower_bound(
      states.begin(), states.end(), id,
      [](const auto& state, std::uint32_t wanted) { return state.id < wanted; });
}

template <class States>
auto* findById(States& states, std::uint32_t id) {
  const auto place = lowerBound(states, id);
  return place != states.end() && place->id == id ? &*place : nullptr;
}

template <class State>
State& findOrAdd(std::vector<State>& states, std::uint32_t id) {
  auto place = lowerBound(states, id);
  if (place == states.end() || place->id != id) {
    place = states.insert(place, State{});
    place->id = id;
  }
  return *place;
}

// Entries stand in the order in which they were made.
auto entryMadeAt(std::vector<CacheEntry>& entries, EventId firstUse) {
  return std::lower_bound(
      entries.begin(), entries.end(), firstUse,
      [](const CacheEntry& entry, EventId wanted) { return entry.firstUse < wanted; });
}

}  // namespace

const TensorState* Snapshot::tensor(TensorId id) const { return findById(tensors, id); }
const BufferState* Snapshot::buffer(BufferId id) const { return findById(buffers, id); }

TensorState* SnapshotFold::findTensor(TensorId id) { return findById(state_.tensors, id); }
TensorState& SnapshotFold::tensorState(TensorId id) { return findOrAdd(state_.tensors, id); }
BufferState* SnapshotFold::findBuffer(BufferId id) { return findById(state_.buffers, id); }
BufferState& SnapshotFold::bufferState(BufferId id) { return findOrAdd(state_.buffers, id); }

void SnapshotFold::restart(Snapshot snapshot) {
  state_ = std::move(snapshot);
  const auto indexed = [](const CacheState& cache) {
    EntryIndex index;
    for (const auto& entry : cache.entries) index.emplace(entry.key, entry.firstUse);
    return index;
  };
  strategyIndex_ = indexed(state_.strategyCache);
  planIndex_ = indexed(state_.planCache);
}

void SnapshotFold::applyNext() {
  const Event& event = journal_.at(++state_.position);
  state_.step = event.step;
  state_.line = event.line;
  switch (event.kind) {
    case EventKind::CacheLookup:
      return cacheLookup(event);
    case EventKind::Collective:
      return collective(event);
    case EventKind::MaskMaterialized:
      return maskMaterialized(event);
    case EventKind::MaskApplied:
      return maskApplied(event);
    case EventKind::MaskReleased:
      return maskReleased(event);
    case EventKind::Result:
      return result(event);
    case EventKind::Error:
      return error(event);
    case EventKind::Step:
    case EventKind::Operator:
    case EventKind::Candidates:
    case EventKind::Redistribute:
    case EventKind::Plan:
    case EventKind::Compute:
      return;
  }
}

void SnapshotFold::findOpen() {
  state_.open.clear();
  if (state_.position == 0) return;
  for (EventId id = journal_.at(state_.position).parent; id != 0; id = journal_.at(id).parent) {
    state_.open.push_back(id);
  }
  std::reverse(state_.open.begin(), state_.open.end());
}

void SnapshotFold::cacheLookup(const Event& event) {
  const std::string_view table = journal_.name(event);
  if (table == "strategy") look(state_.strategyCache, strategyIndex_, event);
  if (table == "plan") look(state_.planCache, planIndex_, event);
}

void SnapshotFold::look(CacheState& cache, EntryIndex& index, const Event& event) {
  ++(event.verdict == Verdict::Hit ? cache.hits : cache.misses);
  if (event.verdict == Verdict::Off) return;
  const Lookup& asked = lookup(event);
  if (event.verdict == Verdict::Miss) {
    dropEntry(cache, index, asked.evicts);
    if (!asked.kept) return;
    // Made anew, where an older recording does not say that it had been evicted.
    dropEntry(cache, index, asked.key);
  }
  if (!index.contains(asked.key)) makeEntry(cache, index, asked.key, state_.position);
  CacheEntry& entry = *entryMadeAt(cache.entries, index.at(asked.key));
  if (event.verdict == Verdict::Hit) ++entry.hits;
  entry.lastUse = state_.position;
}

void SnapshotFold::makeEntry(CacheState& cache, EntryIndex& index, const std::string& key,
                             EventId use) {
  cache.entries.push_back({.key = key, .firstUse = use});
  index.emplace(key, use);
}

void SnapshotFold::dropEntry(CacheState& cache, EntryIndex& index, const std::string& key) {
  const auto known = index.find(key);
  if (known == index.end()) return;
  cache.entries.erase(entryMadeAt(cache.entries, known->second));
  index.erase(known);
}

void SnapshotFold::collective(const Event& event) {
  if (__builtin_add_overflow(state_.bytesMoved, event.bytes, &state_.bytesMoved)) {
    state_.bytesMoved = std::numeric_limits<std::int64_t>::max();
  }
}

void SnapshotFold::maskMaterialized(const Event& event) {
  BufferState& buffer = bufferState(event.subject);
  buffer.refcount = event.count;
  buffer.mask = event.related;
  buffer.holders = holders(event);
  buffer.changed = state_.position;
  auto& known = buffersOfMask_[event.related];
  if (std::find(known.begin(), known.end(), buffer.id) == known.end()) known.push_back(buffer.id);
}

void SnapshotFold::maskApplied(const Event& event) {
  if (auto* tensor = findTensor(event.related)) tensor->changed = state_.position;
  auto* buffer = findBuffer(event.subject);
  if (buffer == nullptr) return;
  buffer->changed = state_.position;
  if (const auto& named = holders(event); !named.empty()) buffer->holders = named;
}

void SnapshotFold::maskReleased(const Event& event) {
  BufferState& buffer = bufferState(event.subject);
  buffer.refcount = event.count;
  buffer.holders.clear();
  if (event.count != 0) buffer.holders = holders(event);
  buffer.changed = state_.position;
  letGo(buffer);
}

// The tensors that the buffer's holders no longer name do not hold it any more.
void SnapshotFold::letGo(BufferState& buffer) {
  std::erase_if(buffer.tensors, [&](TensorId id) {
    const auto& named = buffer.holders;
    if (std::find(named.begin(), named.end(), journal_.tensor(id).name) != named.end())
      return false;
    if (auto* tensor = findTensor(id)) tensor->buffer = 0;
    return true;
  });
}

void SnapshotFold::result(const Event& event) {
  TensorState& tensor = tensorState(event.subject);
  if (tensor.born == 0) tensor.born = state_.position;
  tensor.changed = state_.position;
  tensor.mask = event.related;
  BufferState* now = event.related == 0 ? nullptr : liveBufferOf(event.related);
  if (tensor.buffer == (now == nullptr ? 0 : now->id)) return;
  if (auto* before = findBuffer(tensor.buffer)) std::erase(before->tensors, tensor.id);
  tensor.buffer = now == nullptr ? 0 : now->id;
  if (now != nullptr) hold(*now, tensor.id);
}

// The mask was made before the tensor that is pending on it, so its event may not name this one.
void SnapshotFold::hold(BufferState& buffer, TensorId id) {
  buffer.tensors.push_back(id);
  const std::string& name = journal_.tensor(id).name;
  const auto named = std::find(buffer.holders.begin(), buffer.holders.end(), name);
  if (named == buffer.holders.end()) buffer.holders.push_back(name);
}

void SnapshotFold::error(const Event& event) { state_.error = journal_.name(event); }

BufferState* SnapshotFold::liveBufferOf(TensorId mask) {
  const auto known = buffersOfMask_.find(mask);
  if (known == buffersOfMask_.end()) return nullptr;
  for (auto id = known->second.rbegin(); id != known->second.rend(); ++id) {
    auto* buffer = findBuffer(*id);
    if (buffer != nullptr && buffer->mask == mask && buffer->refcount > 0) return buffer;
  }
  return nullptr;
}

const SnapshotFold::Lookup& SnapshotFold::lookup(const Event& event) {
  const auto [place, isNew] = lookups_.try_emplace(event.detail);
  if (!isNew) return place->second;
  LookupRecord said = readLookup(journal_.detail(event));
  return place->second = {std::move(said.key), std::move(said.evicts), said.kept};
}

const std::vector<std::string>& SnapshotFold::holders(const Event& event) {
  const auto [place, isNew] = holders_.try_emplace(event.detail);
  if (isNew) place->second = readMaskBuffer(journal_.detail(event)).holders;
  return place->second;
}

}  // namespace shardlens
