#pragma once

#include "core/trace/snapshot/snapshot.h"

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace shardlens {

// Carries a snapshot forward, one event after another: what each kind of event changes is said
// here and nowhere else. What it remembers beside the snapshot follows from the journal alone, so
// a fold may be set back to any earlier snapshot and gives the same again.
class SnapshotFold {
 public:
  explicit SnapshotFold(const Journal& journal) : journal_(journal) {}

  const Snapshot& state() const { return state_; }
  void restart(Snapshot snapshot) { state_ = std::move(snapshot); }
  void applyNext();
  void findOpen();  // once per shown position: the spans around the current event

 private:
  CacheState* cacheOf(const Event& event);
  void cacheLookup(const Event& event);
  void cacheEvicted(const Event& event);
  void collective(const Event& event);
  void maskMaterialized(const Event& event);
  void maskApplied(const Event& event);
  void maskReleased(const Event& event);
  void result(const Event& event);
  void error(const Event& event);

  TensorState* findTensor(TensorId id);
  TensorState& tensorState(TensorId id);
  BufferState* findBuffer(BufferId id);
  BufferState& bufferState(BufferId id);
  BufferState* liveBufferOf(TensorId mask);
  void hold(BufferState& buffer, TensorId id);
  void letGo(BufferState& buffer);

  const std::vector<std::string>& holders(const Event& event);

  const Journal& journal_;
  Snapshot state_;
  std::unordered_map<TensorId, std::vector<BufferId>> buffersOfMask_;
  std::unordered_map<StringId, std::vector<std::string>> holders_;  // by detail: each is read once
};

}  // namespace shardlens
