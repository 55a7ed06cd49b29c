#pragma once

#include "core/trace/snapshot/states.h"
#include "core/trace/snapshot/versions.h"

#include <optional>
#include <unordered_map>
#include <vector>

namespace shardlens {

// What became of each tensor, and when. Most are born and never change: those cost 8 bytes.
class TensorHistory {
 public:
  // It is there from the newest event on; false: it was before.
  bool bear(EventId at, TensorId id);
  // Of one that is there.
  void change(EventId at, const TensorState& state);

  bool has(TensorId id, EventId position) const {
    return id < born_.size() && born_[id] != 0 && born_[id] <= position;
  }
  std::optional<TensorState> at(TensorId id, EventId position) const;
  std::optional<TensorState> newest(TensorId id) const { return at(id, ~EventId{0}); }
  // Those that are there, as they came.
  std::size_t countAt(EventId position) const;
  TensorId idOf(std::size_t place) const { return ids_[place]; }
  // Those whose mask this is at a position, by id.
  std::vector<TensorId> maskedBy(TensorId mask, EventId position) const;

 private:
  struct Changed {
    EventId at;
    TensorId mask;
    EventId hold;
    BufferId buffer;
  };

  std::vector<EventId> born_;  // by id; 0: it is not there
  std::vector<TensorId> ids_;  // as they came
  Versions<Changed> versions_;
  std::unordered_map<TensorId, Versions<Changed>::Place> newest_;  // of those that changed
  std::unordered_map<TensorId, std::vector<TensorId>> maskedBy_;
};

}  // namespace shardlens
