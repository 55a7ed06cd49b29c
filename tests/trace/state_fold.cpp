#include "tests/trace/state_fold.h"

#include "core/trace/records/mask_buffer_record.h"

#include <gtest/gtest.h>

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

// Entries stand in the order in which they were made. Null where there is none.
CacheEntry* entryMadeAt(std::vector<CacheEntry>& entries, EventId made) {
  const auto place =
      std::lower_bound(entries.begin(), entries.end(), made,
                       [](const CacheEntry& entry, EventId wanted) { return entry.made < wanted; });
  return place != entries.end() && place->made == made ? &*place : nullptr;
}

}  // namespace

TensorState* StateFold::findTensor(TensorId id) { return findById(state_.tensors, id); }
TensorState& StateFold::tensorState(TensorId id) { return findOrAdd(state_.tensors, id); }
BufferState* StateFold::findBuffer(BufferId id) { return findById(state_.buffers, id); }
BufferState& StateFold::bufferState(BufferId id) { return findOrAdd(state_.buffers, id); }

void StateFold::applyNext() {
  const Event event = journal_.at(++state_.position);
  apply(event);
  findOpen();
}

void StateFold::apply(const Event& event) {
  state_.step = event.step;
  state_.line = event.line;
  switch (event.kind) {
    case EventKind::CacheLookup:
      return cacheLookup(event);
    case EventKind::CacheEvicted:
      return cacheEvicted(event);
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
    case EventKind::Check:
      return;
  }
}

void StateFold::findOpen() {
  state_.open.clear();
  if (state_.position == 0) return;
  for (EventId id = journal_.at(state_.position).parent; id != 0; id = journal_.at(id).parent) {
    state_.open.push_back(id);
  }
  std::reverse(state_.open.begin(), state_.open.end());
}

FoldedState::Cache* StateFold::cacheOf(const Event& event) {
  const std::string_view table = journal_.name(event);
  if (table == "strategy") return &state_.strategyCache;
  return table == "plan" ? &state_.planCache : nullptr;
}

void StateFold::cacheLookup(const Event& event) {
  auto* cache = cacheOf(event);
  if (cache == nullptr) return;
  const bool hit = event.verdict == Verdict::Hit;
  ++(hit ? cache->hits : cache->misses);
  if (event.verdict == Verdict::Miss && event.count != 0) {
    cache->entries.push_back({.made = state_.position, .lastUse = state_.position});
  }
  CacheEntry* entry = hit ? entryMadeAt(cache->entries, event.subject) : nullptr;
  if (entry == nullptr) return;
  ++entry->hits;
  entry->lastUse = state_.position;
}

void StateFold::cacheEvicted(const Event& event) {
  auto* cache = cacheOf(event);
  if (cache == nullptr) return;
  if (const auto* gone = entryMadeAt(cache->entries, event.subject)) {
    cache->entries.erase(cache->entries.begin() + (gone - cache->entries.data()));
  }
}

void StateFold::collective(const Event& event) {
  if (__builtin_add_overflow(state_.bytesMoved, event.bytes, &state_.bytesMoved)) {
    state_.bytesMoved = std::numeric_limits<std::int64_t>::max();
  }
}

void StateFold::maskMaterialized(const Event& event) {
  BufferState& buffer = bufferState(event.subject);
  buffer.refcount = event.count;
  buffer.mask = event.related;
  buffer.holders = holders(event);
  buffer.changed = state_.position;
  auto& known = buffersOfMask_[event.related];
  if (std::find(known.begin(), known.end(), buffer.id) == known.end()) known.push_back(buffer.id);
}

void StateFold::maskApplied(const Event& event) {
  if (auto* tensor = findTensor(event.related)) tensor->changed = state_.position;
  auto* buffer = findBuffer(event.subject);
  if (buffer == nullptr) return;
  buffer->changed = state_.position;
  if (const auto& named = holders(event); !named.empty()) buffer->holders = named;
}

void StateFold::maskReleased(const Event& event) {
  BufferState& buffer = bufferState(event.subject);
  buffer.refcount = event.count;
  buffer.holders.clear();
  if (event.count != 0) buffer.holders = holders(event);
  buffer.changed = state_.position;
  letGo(buffer);
}

// The tensors that the buffer's holders no longer name do not hold it any more.
void StateFold::letGo(BufferState& buffer) {
  std::erase_if(buffer.tensors, [&](TensorId id) {
    const auto& named = buffer.holders;
    if (std::find(named.begin(), named.end(), journal_.tensor(id).name) != named.end())
      return false;
    if (auto* tensor = findTensor(id)) tensor->buffer = 0;
    return true;
  });
}

void StateFold::result(const Event& event) {
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
void StateFold::hold(BufferState& buffer, TensorId id) {
  buffer.tensors.push_back(id);
  const std::string& name = journal_.tensor(id).name;
  const auto named = std::find(buffer.holders.begin(), buffer.holders.end(), name);
  if (named == buffer.holders.end()) buffer.holders.push_back(name);
}

void StateFold::error(const Event& event) { state_.error = journal_.name(event); }

BufferState* StateFold::liveBufferOf(TensorId mask) {
  const auto known = buffersOfMask_.find(mask);
  if (known == buffersOfMask_.end()) return nullptr;
  for (auto id = known->second.rbegin(); id != known->second.rend(); ++id) {
    auto* buffer = findBuffer(*id);
    if (buffer != nullptr && buffer->mask == mask && buffer->refcount > 0) return buffer;
  }
  return nullptr;
}

const std::vector<std::string>& StateFold::holders(const Event& event) {
  const auto [place, isNew] = holders_.try_emplace(event.detail);
  if (isNew) place->second = readMaskBuffer(journal_.detail(event)).holders;
  return place->second;
}

void expectSame(const Snapshot& snapshot, const FoldedState& folded) {
  SCOPED_TRACE(folded.position);
  EXPECT_EQ(snapshot.position, folded.position);
  EXPECT_EQ(snapshot.step, folded.step);
  EXPECT_EQ(snapshot.line, folded.line);
  EXPECT_EQ(snapshot.open, folded.open);
  EXPECT_TRUE(snapshot.tensors == States(folded.tensors));
  EXPECT_TRUE(snapshot.buffers == States(folded.buffers));
  EXPECT_EQ(snapshot.bytesMoved, folded.bytesMoved);
  EXPECT_EQ(snapshot.error, folded.error);
  const auto expectCache = [](const CacheState& cache, const FoldedState::Cache& expected) {
    EXPECT_EQ(cache.hits, expected.hits);
    EXPECT_EQ(cache.misses, expected.misses);
    EXPECT_TRUE(cache.entries == States(expected.entries));
  };
  expectCache(snapshot.strategyCache, folded.strategyCache);
  expectCache(snapshot.planCache, folded.planCache);
  for (const auto& tensor : folded.tensors) {
    EXPECT_EQ(snapshot.tensor(tensor.id), tensor);
    const auto masked = snapshot.maskedBy(tensor.mask);
    EXPECT_EQ(std::count(masked.begin(), masked.end(), tensor.id), tensor.mask == 0 ? 0 : 1);
  }
  for (const auto& buffer : folded.buffers) EXPECT_EQ(snapshot.buffer(buffer.id), buffer);
}

}  // namespace shardlens
