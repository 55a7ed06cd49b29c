#pragma once

#include "core/trace/journal/journal.h"

#include <memory>
#include <string>
#include <vector>

namespace shardlens {

// A tensor that has come into being.
struct TensorState {
  TensorId id = 0;
  EventId born = 0;
  EventId changed = 0;  // the event whose values it has now
  TensorId mask = 0;    // the bits that say which of its rows are masked; 0 is none
  BufferId buffer = 0;  // the mask buffer it holds until it is applied and released
  bool operator==(const TensorState&) const = default;
};

struct BufferState {
  BufferId id = 0;
  int refcount = 0;
  TensorId mask = 0;
  std::vector<std::string> holders;
  std::vector<TensorId> tensors;  // those whose `buffer` this is
  EventId changed = 0;
  bool operator==(const BufferState&) const = default;
};

struct CacheEntry {
  EventId made = 0;  // the miss that made it
  int hits = 0;
  EventId lastUse = 0;
  bool operator==(const CacheEntry&) const = default;
};

struct CacheState {
  int hits = 0;
  int misses = 0;
  std::vector<CacheEntry> entries;  // those the cache holds, in the order they came
  bool operator==(const CacheState&) const = default;
};

// Everything the window shows at one position of a recording. Two snapshots of the same position
// are equal, whether the run was live, stepped back or read from a file: durations are no part.
struct Snapshot {
  EventId position = 0;
  int step = -1;  // of the scenario
  int line = 0;
  std::vector<EventId> open;         // the spans around the current event, outermost first
  std::vector<TensorState> tensors;  // by id
  std::vector<BufferState> buffers;  // by id
  CacheState strategyCache;
  CacheState planCache;
  std::int64_t bytesMoved = 0;
  std::string error;
  bool operator==(const Snapshot&) const = default;

  const TensorState* tensor(TensorId id) const;
  const BufferState* buffer(BufferId id) const;
};

class SnapshotFold;

// Gives the snapshot at any position of a journal that may still grow: it folds events forward from
// the nearest keyframe, so that going back costs no more than a keyframe's distance.
class Replay {
 public:
  explicit Replay(const Journal& journal);
  ~Replay();
  // Past the end it is the last position. Good until the next call.
  const Snapshot& at(EventId position);

 private:
  void startNear(EventId position);
  void keepKeyframe();

  const Journal& journal_;
  std::unique_ptr<SnapshotFold> fold_;
  std::vector<Snapshot> keyframes_;  // by position; the larger they are, the farther apart
};

}  // namespace shardlens
