#include "core/trace/snapshot/state_index.h"

#include "core/trace/records/holder_record.h"

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

// Returns the member for a table; null for Other.
template <class Caches>
auto* cacheOf(Caches& caches, CacheTable table) {
  if (table == CacheTable::Strategy) return &caches.strategyCache;
  return table == CacheTable::Plan ? &caches.planCache : nullptr;
}

// Returns the list of all tensors, or buffers, that exist at a position.
template <class State, class History>
States<State> statesOf(std::shared_ptr<const Histories> histories, const History& history,
                       EventId position) {
  const auto at = [histories = std::move(histories), &history, position](std::size_t place) {
    return history.at(history.idOf(place), position).value();
  };
  return {history.countAt(position), at};
}

constexpr auto keyOf(EventKind kind) { return static_cast<std::uint32_t>(kind); }

}  // namespace

StateIndex::StateIndex(const Journal& journal)
    : journal_(journal),
      byKind_(journal, [](const Event& event) { return keyOf(event.kind); }),
      byStep_(journal, [](const Event& event) { return static_cast<std::uint32_t>(event.step); }),
      byRanks_(journal, [](const Event& event) { return event.ranks; }) {}

bool StateIndex::takeIn(EventId most) {
  const EventId end = std::min(journal_.size(), known_ + std::min(most, journal_.size()));
  for (; known_ < end; ++known_) takeIn(known_ + 1, journal_.at(known_ + 1));
  return known_ < journal_.size();
}

Snapshot StateIndex::at(EventId position) {
  takeIn(journal_.size());
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
      .liveBuffers = all.buffers.liveAt(position),
      .strategyCache = cacheStateOf(histories_, all.strategyCache, position,
                                    totals.strategyCache.hits, totals.strategyCache.misses),
      .planCache = cacheStateOf(histories_, all.planCache, position, totals.planCache.hits,
                                totals.planCache.misses),
      .newestLookup = byKind_.newest(keyOf(EventKind::CacheLookup), position),
      .focus = totals.focus,
      .bytesMoved = totals.bytesMoved,
      .newestError = byKind_.newest(keyOf(EventKind::Error), position),
      .histories = histories_,
  };
  for (EventId id = event.parent; id != 0; id = journal_.at(id).parent) snapshot.open.push_back(id);
  std::reverse(snapshot.open.begin(), snapshot.open.end());
  if (const EventId changed = all.buffers.newestChangeAt(position)) {
    snapshot.newestBuffer = journal_.at(changed).subject;
  }
  snapshot.strategyDecided = std::max(byKind_.newest(keyOf(EventKind::Candidates), position),
                                      newestHit(&Totals::strategyCache, position, totals));
  snapshot.planDecided = std::max(byKind_.newest(keyOf(EventKind::Plan), position),
                                  newestHit(&Totals::planCache, position, totals));
  if (snapshot.newestError != 0) {
    snapshot.error = journal_.name(journal_.at(snapshot.newestError));
  }
  return snapshot;
}

void StateIndex::add(Totals& totals, EventId id, const Event& event) const {
  if (event.kind == EventKind::Collective) {
    if (__builtin_add_overflow(totals.bytesMoved, event.bytes, &totals.bytesMoved)) {
      totals.bytesMoved = std::numeric_limits<std::int64_t>::max();
    }
  } else if (event.kind == EventKind::CacheLookup) {
    CacheTotals* cache = cacheOf(totals, event.cache());
    if (cache != nullptr) ++(event.verdict == Verdict::Hit ? cache->hits : cache->misses);
  } else if (event.kind == EventKind::Result) {
    totals.focus = event.subject;
  } else if (event.kind == EventKind::Redistribute || event.kind == EventKind::MaskApplied) {
    const bool isRead = event.kind == EventKind::Redistribute;
    const TensorId tensor = isRead ? event.subject : event.related;
    if (histories_->tensors.has(tensor, id)) totals.focus = tensor;
  }
}

StateIndex::Totals StateIndex::totalsAt(EventId position) const {
  const EventId first = blockOf(position);
  Totals totals = totals_[(first - 1) / kBlockEvents];
  for (EventId id = first; id <= position; ++id) add(totals, id, journal_.at(id));
  return totals;
}

// Returns the newest hit of a cache at or before `position`; 0 if none. Searches the block in which
// the hit count last changed.
EventId StateIndex::newestHit(CacheTotals Totals::*cache, EventId position,
                              const Totals& totals) const {
  const int hits = (totals.*cache).hits;
  if (hits == 0) return 0;
  const auto end = totals_.begin() + (position - 1) / kBlockEvents + 1;
  const auto after = std::partition_point(
      totals_.begin(), end, [&](const Totals& before) { return (before.*cache).hits < hits; });
  const auto block = static_cast<EventId>(after - totals_.begin() - 1);
  const auto isHit = [&](const Event& event) {
    return event.kind == EventKind::CacheLookup && event.verdict == Verdict::Hit &&
           cacheOf(totals, event.cache()) == &(totals.*cache);
  };
  EventId id = std::min(position, (block + 1) * kBlockEvents);
  while (!isHit(journal_.at(id))) --id;
  return id;
}

void StateIndex::takeIn(EventId id, const Event& event) {
  if (blockOf(id) == id) totals_.push_back(newest_);
  add(newest_, id, event);
  byKind_.add(id, event);
  byStep_.add(id, event);
  byRanks_.add(id, event);
  if (event.parent == 0) histories_->roots.push_back(id);
  switch (event.kind) {
    case EventKind::CacheLookup:
      return cacheLookup(id, event);
    case EventKind::CacheEvicted:
      if (auto* cache = cacheOf(*histories_, event.cache())) cache->evict(event.subject, id);
      return;
    case EventKind::MaskMaterialized:
      return histories_->buffers.materialize(id, event.subject, event.count, event.related,
                                             holder(event));
    case EventKind::MaskApplied:
      return maskApplied(id, event);
    case EventKind::MaskReleased:
      return maskReleased(id, event);
    case EventKind::Result:
      return result(id, event);
    case EventKind::Step:
    case EventKind::Operator:
    case EventKind::Candidates:
    case EventKind::Redistribute:
    case EventKind::Plan:
    case EventKind::Collective:
    case EventKind::Compute:
    case EventKind::Error:
    case EventKind::Check:
      return;
  }
}

void StateIndex::cacheLookup(EventId id, const Event& event) {
  CacheHistory* cache = cacheOf(*histories_, event.cache());
  if (cache == nullptr) return;
  if (event.verdict == Verdict::Hit) cache->use(event.subject, id);
  if (event.verdict == Verdict::Miss) cache->miss(id, event.detail, event.count != 0);
}

void StateIndex::maskApplied(EventId id, const Event& event) {
  auto& tensors = histories_->tensors;
  if (auto tensor = tensors.newest(event.related)) {
    tensor->changed = id;
    tensors.change(id, *tensor);
  }
  histories_->buffers.touch(id, event.subject);
}

void StateIndex::maskReleased(EventId id, const Event& event) {
  auto& tensors = histories_->tensors;
  for (const TensorId gone :
       histories_->buffers.release(id, event.subject, event.count, event.related)) {
    auto tensor = tensors.newest(gone).value();
    tensor.hold = 0;
    tensor.buffer = 0;
    tensors.change(id, tensor);
  }
}

const std::string& StateIndex::holder(const Event& event) {
  const auto [place, isNew] = holders_.try_emplace(event.detail);
  if (isNew) place->second = readHolder(journal_.detail(event));
  return place->second;
}

void StateIndex::result(EventId id, const Event& event) {
  auto& tensors = histories_->tensors;
  auto& buffers = histories_->buffers;
  const bool isPlain = event.related == 0 && event.count == 0;
  if (tensors.bear(id, event.subject) && isPlain) return;
  TensorState tensor = tensors.newest(event.subject).value();
  const auto hold = static_cast<EventId>(event.count);
  const BufferId buffer = buffers.heldBy(hold);
  const EventId now = buffer == 0 ? 0 : hold;
  if (tensor.hold != now) {
    if (tensor.hold != 0) buffers.leave(id, tensor.hold, tensor.id);
    if (now != 0) buffers.join(id, now, tensor.id, journal_.text(journal_.nameOf(tensor.id)));
  }
  tensor.changed = id;
  tensor.mask = event.related;
  tensor.hold = now;
  tensor.buffer = buffer;
  tensors.change(id, tensor);
}

}  // namespace shardlens
