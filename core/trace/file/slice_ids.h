#pragma once

#include "core/model/event.h"

#include <unordered_map>
#include <vector>

namespace shardlens {

// Maps the events and tensors of a recording to those of a slice, which has some of its steps, and
// back. Both number the events in the same order. Lookups of events take logarithmic time in the
// ranges of consecutive events.
class SliceIds {
 public:
  // Maps the next event of the slice. `own`, its id in the recording, must increase.
  void addEvent(EventId own);
  // Maps the next tensor of the slice.
  void addTensor(TensorId own);

  // Return the id in the slice; 0 if the slice does not contain the event or tensor.
  EventId eventOf(EventId own) const;
  TensorId tensorOf(TensorId own) const;
  // Return the id in the recording; 0 for 0. The event or tensor must exist.
  EventId ownEventOf(EventId id) const;
  TensorId ownTensorOf(TensorId id) const { return id == 0 ? 0 : tensors_[id - 1]; }
  EventId events() const { return events_; }

 private:
  struct Run {
    EventId own, id;  // of its first event
  };

  std::vector<Run> runs_;  // ascending
  EventId events_ = 0;
  std::vector<TensorId> tensors_;
  std::unordered_map<TensorId, TensorId> tensorOf_;
};

}  // namespace shardlens
