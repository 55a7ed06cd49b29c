#pragma once

#include "core/compare/step_pairs.h"
#include "core/trace/file/progress.h"

#include <optional>
#include <vector>

namespace shardlens {

// The pairs of corresponding events of two recordings. Stored as runs of consecutive pairs: two
// equal recordings of ten million events need one run. Lookups take logarithmic time in the runs.
class EventPairs {
 public:
  // Returns the corresponding event; nullopt if there is none. 0, the position before the first
  // event, corresponds to 0.
  std::optional<EventId> rightOf(EventId left) const;
  std::optional<EventId> leftOf(EventId right) const;
  // Returns the counterpart of the last paired event at or before this one; 0 if there is none.
  EventId rightUpTo(EventId left) const;
  EventId leftUpTo(EventId right) const;

  // Appends `count` consecutive pairs. Both ids must be above all that were added.
  void add(EventId left, EventId right, EventId count = 1);
  std::size_t runs() const { return runs_.size(); }

 private:
  struct Run {
    EventId left;
    EventId right;
    EventId count;
  };
  using Side = EventId Run::*;

  Run runUpTo(Side side, EventId event) const;
  std::optional<EventId> other(Side from, Side to, EventId event) const;

  std::vector<Run> runs_;
};

// Pairs the events of paired steps, in order. Two events can be paired if their enclosing events
// are; first those with the same text, and between them those with the same call. Exceptions of
// `progress` pass through.
EventPairs pairEvents(const Journal& left, const Journal& right, const std::vector<StepPair>& steps,
                      const Progress& progress = {});

}  // namespace shardlens
