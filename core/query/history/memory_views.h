#pragma once

#include "core/trace/journal/journal.h"

#include <set>

namespace shardlens {

// Return true for a call of an operator with an input whose result shares the memory of its first
// input, as aten.view, or that writes to its first input, as aten.add_. False for event 0 and for
// other kinds of events. Decide by the name of the operator.
bool isViewCall(const Journal& journal, EventId id);
bool isInPlaceCall(const Journal& journal, EventId id);

// Returns true if a Result event of a tensor that exists only describes it: as a parameter, a
// gradient, an output, or as the result of a view operator that returns its input.
bool isDescription(const Journal& journal, EventId result);

// The tensors that share memory with given ones, because view operators made them.
class MemoryViews {
 public:
  explicit MemoryViews(const Journal& journal) : journal_(journal) {}

  void add(TensorId tensor) { tensors_.insert(tensor); }
  bool contains(TensorId tensor) const { return tensors_.contains(tensor); }
  // Adds the result of a view operator on one of the tensors. Call it for the events in order.
  void take(EventId id, const Event& event);

 private:
  const Journal& journal_;
  std::set<TensorId> tensors_;
};

}  // namespace shardlens
