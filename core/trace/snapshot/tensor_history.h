#pragma once

#include "core/trace/snapshot/states.h"
#include "core/trace/snapshot/versions.h"

#include <optional>
#include <unordered_map>
#include <vector>

namespace shardlens {

// The history of each tensor. Most tensors never change after their creation and cost 8 bytes.
// Events must be added in order.
class TensorHistory {
 public:
  // Creates the tensor at event `at`. Returns false if it exists already.
  bool bear(EventId at, TensorId id);
  // Records the new state of an existing tensor.
  void change(EventId at, const TensorState& state);

  // Returns true if the tensor exists at the position.
  bool has(TensorId id, EventId position) const {
    return id < born_.size() && born_[id] != 0 && born_[id] <= position;
  }
  // Return the state at a position, or the newest one; nullopt if the tensor does not exist.
  std::optional<TensorState> at(TensorId id, EventId position) const;
  std::optional<TensorState> newest(TensorId id) const { return at(id, ~EventId{0}); }
  // Returns how many tensors existed at the position. They have the places 0 to countAt() - 1, in
  // the order of creation; idOf() returns the id at a place.
  std::size_t countAt(EventId position) const;
  TensorId idOf(std::size_t place) const { return ids_[place]; }
  // Returns the tensors with this mask at a position, ascending.
  std::vector<TensorId> maskedBy(TensorId mask, EventId position) const;

 private:
  struct Changed {
    EventId at;
    TensorId mask;
    EventId hold;
    BufferId buffer;
  };

  std::vector<EventId> born_;  // by id; 0: does not exist
  std::vector<TensorId> ids_;  // in the order of creation
  Versions<Changed> versions_;
  std::unordered_map<TensorId, Versions<Changed>::Place> newest_;  // only of tensors that changed
  std::unordered_map<TensorId, std::vector<TensorId>> maskedBy_;
};

}  // namespace shardlens
