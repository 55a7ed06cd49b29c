#pragma once

#include "core/trace/snapshot/snapshot.h"

#include <string>
#include <unordered_map>
#include <vector>

namespace shardlens {

// Carries a snapshot forward, one event after another: what each kind of event changes is said
// here and nowhere else. What it remembers beside the snapshot follows from the journal alone, so
// a fold may be set back to any earlier snapshot and gives the same again.
class SnapshotFold {
 public:
  explicit SnapshotFold(const Journal& journal) : journal_(journal) {}

  const Snapshot& state() const { return state_; }
  void restart(Snapshot snapshot);
  void applyNext();
  void findOpen();  // once per shown position: the spans around the current event

 private:
  using EntryIndex = std::unordered_map<std::string, EventId>;  // by key: its first use
  struct Lookup {
    std::string key;
    std::string evicts;  // the key of the entry that goes for this one
    bool kept = true;
  };

  void cacheLookup(const Event& event);
  void look(CacheState& cache, EntryIndex& index, const Event& event);
  static void makeEntry(CacheState& cache, EntryIndex& index, const std::string& key, EventId use);
  static void dropEntry(CacheState& cache, EntryIndex& index, const std::string& key);
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

  const Lookup& lookup(const Event& event);
  const std::vector<std::string>& holders(const Event& event);

  const Journal& journal_;
  Snapshot state_;
  EntryIndex strategyIndex_;
  EntryIndex planIndex_;
  std::unordered_map<TensorId, std::vector<BufferId>> buffersOfMask_;
  std::unordered_map<StringId, Lookup> lookups_;  // by detail, so that each is read once
  std::unordered_map<StringId, std::vector<std::string>> holders_;
};

}  // namespace shardlens
