#pragma once

#include "core/trace/snapshot/births.h"
#include "core/trace/snapshot/states.h"

#include <optional>
#include <unordered_map>
#include <vector>

namespace shardlens {

// What became of each tensor, and when. Most are born and never change: those cost 32 bytes.
class TensorHistory {
 public:
  // To be changed at this event, which is the newest. Born with it, if it is not there yet.
  TensorState& change(EventId at, TensorId id);
  const TensorState* newest(TensorId id) const;  // null: it is not there

  std::optional<TensorState> at(TensorId id, EventId position) const;
  Births::Ids idsAt(EventId position) const { return births_.at(position); }
  // Those whose mask this is at a position, by id.
  std::vector<TensorId> maskedBy(TensorId mask, EventId position) const;
  void noteMask(TensorId id, TensorId mask);

 private:
  struct Version {
    EventId since = 0;  // 0: it is not there
    TensorState state;
  };

  std::vector<Version> newest_;                               // by id
  std::unordered_map<TensorId, std::vector<Version>> older_;  // ascending
  std::unordered_map<TensorId, std::vector<TensorId>> maskedBy_;
  Births births_;
};

}  // namespace shardlens
