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

// What became of everything in a recording.
struct Histories {
  std::vector<EventId> roots;  // the events that are inside no other
  TensorHistory tensors;
  BufferHistory buffers;
  CacheHistory strategyCache;
  CacheHistory planCache;
};

struct CacheState {
  int hits = 0;
  int misses = 0;
  States<CacheEntry> entries = {};  // those the cache holds, in the order they came
  bool operator==(const CacheState&) const = default;
};

// Everything the window shows at one position of a recording. What there may be many of is looked
// up when it is asked for, so that a snapshot costs the same anywhere; it stays good as the journal
// grows. Two snapshots of the same position are equal, whether the run was live, stepped back or
// read from a file: durations are no part.
struct Snapshot {
  EventId position = 0;
  int step = -1;  // of the scenario
  int line = 0;
  std::vector<EventId> open = {};    // the spans around the current event, outermost first
  States<TensorState> tensors = {};  // in the order they came
  States<BufferState> buffers = {};  // likewise
  int liveBuffers = 0;               // those that somebody holds
  BufferId newestBuffer = 0;         // the one that changed last
  CacheState strategyCache = {};
  CacheState planCache = {};
  EventId newestLookup = 0;  // in any cache
  TensorId focus = 0;        // the tensor that an event read, made or changed last
  // The newest events that say how an operator's strategy, and a plan, was decided: those that
  // explain one, and hits of what was decided before.
  EventId strategyDecided = 0;
  EventId planDecided = 0;
  std::int64_t bytesMoved = 0;
  EventId newestError = 0;
  std::string error = {};                           // what it says
  std::shared_ptr<const Histories> histories = {};  // null: of nothing

  bool operator==(const Snapshot& other) const;

  std::optional<TensorState> tensor(TensorId id) const;
  std::optional<BufferState> buffer(BufferId id) const;
  // The tensors whose mask this is, by id.
  std::vector<TensorId> maskedBy(TensorId mask) const;
};

}  // namespace shardlens
