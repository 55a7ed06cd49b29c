#include "core/trace/snapshot/state_index.h"

#include "core/trace/records/mask_buffer_record.h"

#include <algorithm>
#include <limits>

namespace shardlens {

namespace {

CacheState cacheStateOf(std::shared_ptr<const Histories> histories, const CacheHistory& cache,
                        EventId position, int hits, int misses) {
  const auto places = std::make_shared<const std::vector<std::uint32_t>>(cache.entriesAt(position));
  const auto at = [histories = std::move(histories), &cache, places, position](std::size_t place) {
    return cache.at((*places)[place], position);
  };
  return {.hits = hits, .misses = misses, .entries = {places->size(), at}};
}

// Of both caches the one that a table's name says; null where it is another's.
template <class Caches>
auto* cacheOf(Caches& caches, std::string_view table) {
  if (table == "strategy") return &caches.strategyCache;
  return table == "plan" ? &caches.planCache : nullptr;
}

// What there is at a position of tensors, or of buffers.
template <class State, class History>
States<State> statesOf(std::shared_ptr<const Histories> histories, const History& history,
                       EventId position) {
  const auto ids = history.idsAt(position);
  return {ids.size(), [histories = std::move(histories), &history, ids, position](
                          std::size_t place) { return history.at(ids[place], position).value(); }};
}

}  // namespace

StateIndex::StateIndex(const Journal& journal) : journal_(journal) {}

Snapshot StateIndex::at(EventId position) {
  for (; known_ < journal_.size(); ++known_) takeIn(known_ + 1, journal_.at(known_ + 1));
  position = std::min(position, known_);
  if (position == 0) return {.histories = histories_};
  const Event event = journal_.at(position);
  const Totals totals = totalsAt(position);
  const auto& all = *histories_;
  Snapshot snapshot{
      .position = position,
      .step = event.step,
      .line = event.line,
      .tensors = statesOf<TensorState>(histories_, all.tensors, position),
      .buffers = statesOf<BufferState>(histories_, all.buffers, position),
      .strategyCache = cacheStateOf(histories_, all.strategyCache, position,
                                    totals.strategyCache.hits, totals.strategyCache.misses),
      .planCache = cacheStateOf(histories_, all.planCache, position, totals.planCache.hits,
                                totals.planCache.misses),
      .bytesMoved = totals.bytesMoved,
      .histories = histories_,
  };
  for (EventId id = event.parent; id != 0; id = journal_.at(id).parent) snapshot.open.push_back(id);
  std::reverse(snapshot.open.begin(), snapshot.open.end());
  const auto error = std::upper_bound(errors_.begin(), errors_.end(), position);
  if (error != errors_.begin()) snapshot.error = journal_.name(journal_.at(*std::prev(error)));
  return snapshot;
}

void StateIndex::Totals::add(const Journal& journal, const Event& event) {
  if (event.kind == EventKind::Collective) {
    if (__builtin_add_overflow(bytesMoved, event.bytes, &bytesMoved)) {
      bytesMoved = std::numeric_limits<std::int64_t>::max();
    }
  } else if (event.kind == EventKind::CacheLookup) {
    CacheTotals* cache = cacheOf(*this, journal.name(event));
    if (cache != nullptr) ++(event.verdict == Verdict::Hit ? cache->hits : cache->misses);
  }
}

StateIndex::Totals StateIndex::totalsAt(EventId position) const {
  const EventId first = blockOf(position);
  Totals totals = totals_[(first - 1) / kBlockEvents];
  for (EventId id = first; id <= position; ++id) totals.add(journal_, journal_.at(id));
  return totals;
}

void StateIndex::takeIn(EventId id, const Event& event) {
  if (blockOf(id) == id) totals_.push_back(newest_);
  newest_.add(journal_, event);
  switch (event.kind) {
    case EventKind::CacheLookup:
      cacheLookup(id, event);
      break;
    case EventKind::CacheEvicted:
      if (auto* cache = cacheOf(*histories_, journal_.name(event))) cache->evict(event.subject, id);
      break;
    case EventKind::MaskMaterialized:
      maskMaterialized(id, event);
      break;
    case EventKind::MaskApplied:
      maskApplied(id, event);
      break;
    case EventKind::MaskReleased:
      maskReleased(id, event);
      break;
    case EventKind::Result:
      result(id, event);
      break;
    case EventKind::Error:
      errors_.push_back(id);
      break;
    case EventKind::Step:
    case EventKind::Operator:
    case EventKind::Candidates:
    case EventKind::Redistribute:
    case EventKind::Plan:
    case EventKind::Collective:
    case EventKind::Compute:
    case EventKind::Check:
      return;
  }
  histories_->buffers.keep(id);
}

void StateIndex::cacheLookup(EventId id, const Event& event) {
  CacheHistory* cache = cacheOf(*histories_, journal_.name(event));
  if (cache == nullptr) return;
  if (event.verdict == Verdict::Hit) cache->use(event.subject, id);
  if (event.verdict == Verdict::Miss && event.count != 0) cache->make(id);
}

void StateIndex::maskMaterialized(EventId id, const Event& event) {
  BufferState& buffer = histories_->buffers.change(event.subject);
  buffer.refcount = event.count;
  buffer.mask = event.related;
  buffer.holders = holders(event);
  buffer.changed = id;
  auto& known = buffersOfMask_[event.related];
  if (std::find(known.begin(), known.end(), buffer.id) == known.end()) known.push_back(buffer.id);
}

void StateIndex::maskApplied(EventId id, const Event& event) {
  auto& tensors = histories_->tensors;
  if (tensors.newest(event.related) != nullptr) tensors.change(id, event.related).changed = id;
  if (histories_->buffers.newest(event.subject) == nullptr) return;
  BufferState& buffer = histories_->buffers.change(event.subject);
  buffer.changed = id;
  if (const auto& named = holders(event); !named.empty()) buffer.holders = named;
}

void StateIndex::maskReleased(EventId id, const Event& event) {
  BufferState& buffer = histories_->buffers.change(event.subject);
  buffer.refcount = event.count;
  buffer.holders.clear();
  if (event.count != 0) buffer.holders = holders(event);
  buffer.changed = id;
  letGo(id, buffer);
}

// The tensors that the buffer's holders no longer name do not hold it any more.
void StateIndex::letGo(EventId id, BufferState& buffer) {
  std::erase_if(buffer.tensors, [&](TensorId tensor) {
    const auto& named = buffer.holders;
    if (std::find(named.begin(), named.end(), journal_.tensor(tensor).name) != named.end()) {
      return false;
    }
    auto& tensors = histories_->tensors;
    if (tensors.newest(tensor) != nullptr) tensors.change(id, tensor).buffer = 0;
    return true;
  });
}

void StateIndex::result(EventId id, const Event& event) {
  auto& buffers = histories_->buffers;
  TensorState& tensor = histories_->tensors.change(id, event.subject);
  tensor.changed = id;
  tensor.mask = event.related;
  if (event.related != 0) histories_->tensors.noteMask(event.subject, event.related);
  const BufferState* live = event.related == 0 ? nullptr : liveBufferOf(event.related);
  const BufferId now = live == nullptr ? 0 : live->id;
  if (tensor.buffer == now) return;
  if (buffers.newest(tensor.buffer) != nullptr) {
    std::erase(buffers.change(tensor.buffer).tensors, tensor.id);
  }
  tensor.buffer = now;
  if (now != 0) hold(now, tensor.id);
}

// The mask was made before the tensor that is pending on it, so its event may not name this one.
void StateIndex::hold(BufferId id, TensorId tensor) {
  BufferState& buffer = histories_->buffers.change(id);
  buffer.tensors.push_back(tensor);
  const std::string& name = journal_.tensor(tensor).name;
  const auto named = std::find(buffer.holders.begin(), buffer.holders.end(), name);
  if (named == buffer.holders.end()) buffer.holders.push_back(name);
}

BufferState* StateIndex::liveBufferOf(TensorId mask) {
  const auto known = buffersOfMask_.find(mask);
  if (known == buffersOfMask_.end()) return nullptr;
  for (auto id = known->second.rbegin(); id != known->second.rend(); ++id) {
    auto* buffer = histories_->buffers.newest(*id);
    if (buffer != nullptr && buffer->mask == mask && buffer->refcount > 0) return buffer;
  }
  return nullptr;
}

const std::vector<std::string>& StateIndex::holders(const Event& event) {
  const auto [place, isNew] = holders_.try_emplace(event.detail);
  if (isNew) place->second = readMaskBuffer(journal_.detail(event)).holders;
  return place->second;
}

}  // namespace shardlens
