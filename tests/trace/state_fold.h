#pragma once

#include "core/trace/journal/journal.h"
#include "core/trace/snapshot/snapshot.h"

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace shardlens {

// The complete state at a position. See Snapshot for the meaning of the fields.
struct FoldedState {
  EventId position = 0;
  int step = -1;
  int line = 0;
  std::vector<EventId> open;
  std::vector<TensorState> tensors;  // in order of their first event
  std::vector<BufferState> buffers;  // in order of their first event
  BufferId newestBuffer = 0;
  EventId newestLookup = 0;
  TensorId focus = 0;
  EventId strategyDecided = 0;
  EventId planDecided = 0;
  struct Cache {
    int hits = 0;
    int misses = 0;
    std::vector<CacheEntry> entries;  // in order of the misses that made them
  };
  Cache strategyCache;
  Cache planCache;
  std::int64_t bytesMoved = 0;
  EventId newestError = 0;
  std::string error;
};

// A reference implementation of snapshots: applies one event after another to a state. Tests
// compare StateIndex with it. The journal must outlive it.
class StateFold {
 public:
  explicit StateFold(const Journal& journal) : journal_(journal) {}

  const FoldedState& state() const { return state_; }
  // Applies the next event. Requires that there is one.
  void applyNext();

 private:
  void findOpen();
  void apply(const Event& event);
  FoldedState::Cache* cacheOf(const Event& event);
  void cacheLookup(const Event& event);
  void cacheEvicted(const Event& event);
  void collective(const Event& event);
  void maskMaterialized(const Event& event);
  void maskApplied(const Event& event);
  void maskReleased(const Event& event);
  void result(const Event& event);
  void redistribute(const Event& event);
  void error(const Event& event);

  TensorState* findTensor(TensorId id);
  TensorState& tensorState(TensorId id);
  BufferState* findBuffer(BufferId id);
  BufferState& bufferState(BufferId id);
  struct Holder {
    EventId hold;
    std::string name;
    TensorId tensor;  // 0: the tensor is not recorded yet
  };
  void end(BufferState& buffer, EventId hold);
  void show(BufferState& buffer);

  const Journal& journal_;
  FoldedState state_;
  std::unordered_map<BufferId, std::vector<Holder>> holders_;  // in order of their events
};

// Expects equal fields.
void expectSame(const Snapshot& snapshot, const FoldedState& folded);

}  // namespace shardlens
