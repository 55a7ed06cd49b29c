#pragma once

#include "core/trace/journal/journal.h"

#include <map>

namespace shardlens {

// Follows the memory to which nothing is written yet, through views. The results of a recording
// are given to it in the order of events.
class UnwrittenMemory {
 public:
  // Returns true if the result of the event is such memory: an operator or a factory, as
  // distributed.tensor.empty(), has allocated it, or it is a view of an unwritten tensor.
  // Remembers the tensor then, unless another event than its Result allocates it.
  bool follow(const Journal& journal, EventId id);
  // Forgets a tensor, because something is written to it.
  void write(TensorId tensor) { allocations_.erase(tensor); }
  // Returns the event that allocated the memory of a tensor; 0 if it is written.
  EventId allocationOf(TensorId tensor) const;

 private:
  std::map<TensorId, EventId> allocations_;  // of unwritten tensors
};

}  // namespace shardlens
