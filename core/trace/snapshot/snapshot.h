#pragma once

#include "core/trace/snapshot/buffer_history.h"
#include "core/trace/snapshot/cache_history.h"
#include "core/trace/snapshot/states.h"
#include "core/trace/snapshot/tensor_history.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace shardlens {

// The histories from which snapshots are looked up.
struct Histories {
  std::vector<EventId> roots;  // events without a parent, ascending
  TensorHistory tensors;
  BufferHistory buffers;
  CacheHistory strategyCache;
  CacheHistory planCache;
};

// The state of a cache at one position.
struct CacheState {
  int hits = 0;
  int misses = 0;                   // lookups in a disabled cache included
  States<CacheEntry> entries = {};  // in the cache, in the order of creation
  bool operator==(const CacheState&) const = default;
};

// The state of a run at one position of its recording. Tensors and buffers are looked up on access,
// so a snapshot costs about the same at any position. It stays valid as the journal grows. It
// shares ownership of the histories, so it may outlive its StateIndex, but must be used on the
// thread of the StateIndex while that exists. Contains no times, so snapshots of a live, a stepped
// and a loaded run are equal.
struct Snapshot {
  EventId position = 0;
  int step = -1;  // of the current event, -1 if none; `line` likewise, 0 if none
  int line = 0;
  std::vector<EventId> open = {};    // the spans around the current event, outermost first
  States<TensorState> tensors = {};  // in the order of creation
  States<BufferState> buffers = {};  // in the order of creation
  int liveBuffers = 0;               // buffers with a refcount above 0
  BufferId newestBuffer = 0;         // the buffer that changed last; 0 if none
  CacheState strategyCache = {};
  CacheState planCache = {};
  EventId newestLookup = 0;  // of either cache; 0 if none
  TensorId focus = 0;        // the tensor that an event read, created or changed last
  // The newest event that decided a strategy, and a plan: a Candidates or Plan event, or a hit of
  // that cache. 0 if none.
  EventId strategyDecided = 0;
  EventId planDecided = 0;
  std::int64_t bytesMoved = 0;  // sent by the hosted ranks in all collectives so far
  EventId newestError = 0;
  std::string error = {};                           // the message of newestError
  std::shared_ptr<const Histories> histories = {};  // null in a default-constructed snapshot

  // Compares everything except `histories`.
  bool operator==(const Snapshot& other) const;

  // Return the state at this position; nullopt if it does not exist yet.
  std::optional<TensorState> tensor(TensorId id) const;
  std::optional<BufferState> buffer(BufferId id) const;
  // Returns the tensors with this mask, ascending.
  std::vector<TensorId> maskedBy(TensorId mask) const;
};

}  // namespace shardlens
