#include "tests/trace/state_fold.h"

#include "core/trace/records/holder_record.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

namespace shardlens {

namespace {

template <class State>
State* findById(std::vector<State>& states, std::uint32_t id) {
  const auto place = std::find_if(states.begin(), states.end(),
                                  [id](const State& state) { return state.id == id; });
  return place == states.end() ? nullptr : &*place;
}

template <class State>
State& findOrAdd(std::vector<State>& states, std::uint32_t id) {
  if (State* found = findById(states, id)) return *found;
  State& state = states.emplace_back();
  state.id = id;
  return state;
}

// Returns the entry that the event `made` created, or null. Requires entries ordered by `made`.
CacheEntry* entryMadeAt(std::vector<CacheEntry>& entries, EventId made) {
  const auto place =
      std::lower_bound(entries.begin(), entries.end(), made,
                       [](const CacheEntry& entry, EventId key) { return entry.made < key; });
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
    case EventKind::Redistribute:
      return redistribute(event);
    case EventKind::Error:
      return error(event);
    case EventKind::Candidates:
      state_.strategyDecided = state_.position;
      return;
    case EventKind::Plan:
      state_.planDecided = state_.position;
      return;
    case EventKind::Step:
    case EventKind::Operator:
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
  if (event.cache() == CacheTable::Strategy) return &state_.strategyCache;
  return event.cache() == CacheTable::Plan ? &state_.planCache : nullptr;
}

void StateFold::cacheLookup(const Event& event) {
  state_.newestLookup = state_.position;
  auto* cache = cacheOf(event);
  if (cache == nullptr) return;
  const bool hit = event.verdict == Verdict::Hit;
  ++(hit ? cache->hits : cache->misses);
  const bool isPlan = cache == &state_.planCache;
  if (hit) (isPlan ? state_.planDecided : state_.strategyDecided) = state_.position;
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
  buffer.changed = state_.position;
  holders_[buffer.id].push_back({state_.position, readHolder(journal_.detail(event)), 0});
  state_.newestBuffer = buffer.id;
  show(buffer);
}

void StateFold::maskApplied(const Event& event) {
  if (auto* tensor = findTensor(event.related)) {
    tensor->changed = state_.position;
    state_.focus = tensor->id;
  }
  auto* buffer = findBuffer(event.subject);
  if (buffer == nullptr) return;
  buffer->changed = state_.position;
  state_.newestBuffer = buffer->id;
}

void StateFold::maskReleased(const Event& event) {
  BufferState& buffer = bufferState(event.subject);
  buffer.refcount = event.count;
  buffer.changed = state_.position;
  state_.newestBuffer = buffer.id;
  end(buffer, event.related);
  while (event.count == 0 && !holders_[buffer.id].empty()) {
    end(buffer, holders_[buffer.id].front().hold);
  }
}

void StateFold::end(BufferState& buffer, EventId hold) {
  std::erase_if(holders_[buffer.id], [&](const Holder& holder) {
    if (holder.hold != hold) return false;
    if (auto* tensor = findTensor(holder.tensor)) {
      tensor->hold = 0;
      tensor->buffer = 0;
    }
    return true;
  });
  show(buffer);
}

// Updates the holders and tensors of a buffer. Lists a name once per hold.
void StateFold::show(BufferState& buffer) {
  buffer.holders.clear();
  buffer.tensors.clear();
  std::set<std::pair<EventId, std::string>> named;
  for (const auto& [hold, name, tensor] : holders_[buffer.id]) {
    if (named.emplace(hold, name).second && !name.empty()) buffer.holders.push_back(name);
    if (tensor != 0) buffer.tensors.push_back(tensor);
  }
}

void StateFold::result(const Event& event) {
  TensorState& tensor = tensorState(event.subject);
  if (tensor.born == 0) tensor.born = state_.position;
  state_.focus = tensor.id;
  tensor.changed = state_.position;
  tensor.mask = event.related;
  const auto hold = static_cast<EventId>(event.count);
  if (tensor.hold == hold) return;
  if (auto* before = findBuffer(tensor.buffer)) {
    std::erase_if(holders_[before->id],
                  [&](const Holder& holder) { return holder.tensor == tensor.id; });
    show(*before);
  }
  tensor.hold = 0;
  tensor.buffer = 0;
  for (auto& [id, holders] : holders_) {
    const bool lasts = std::any_of(holders.begin(), holders.end(), [hold](const Holder& holder) {
      return holder.hold == hold && holder.tensor == 0;
    });
    if (!lasts) continue;
    holders.push_back({hold, journal_.tensor(tensor.id).name, tensor.id});
    tensor.hold = hold;
    tensor.buffer = id;
    show(bufferState(id));
  }
}

void StateFold::redistribute(const Event& event) {
  if (findTensor(event.subject) != nullptr) state_.focus = event.subject;
}

void StateFold::error(const Event& event) {
  state_.newestError = state_.position;
  state_.error = journal_.name(event);
}

void expectSame(const Snapshot& snapshot, const FoldedState& folded) {
  SCOPED_TRACE(folded.position);
  EXPECT_EQ(snapshot.position, folded.position);
  EXPECT_EQ(snapshot.step, folded.step);
  EXPECT_EQ(snapshot.line, folded.line);
  EXPECT_EQ(snapshot.open, folded.open);
  EXPECT_TRUE(snapshot.tensors == States(folded.tensors));
  EXPECT_TRUE(snapshot.buffers == States(folded.buffers));
  const auto live = std::count_if(folded.buffers.begin(), folded.buffers.end(),
                                  [](const BufferState& buffer) { return buffer.refcount > 0; });
  EXPECT_EQ(snapshot.liveBuffers, live);
  EXPECT_EQ(snapshot.newestBuffer, folded.newestBuffer);
  EXPECT_EQ(snapshot.newestLookup, folded.newestLookup);
  EXPECT_EQ(snapshot.strategyDecided, folded.strategyDecided);
  EXPECT_EQ(snapshot.planDecided, folded.planDecided);
  EXPECT_EQ(snapshot.bytesMoved, folded.bytesMoved);
  EXPECT_EQ(snapshot.focus, folded.focus);
  EXPECT_EQ(snapshot.newestError, folded.newestError);
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
