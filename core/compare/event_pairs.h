#pragma once

#include "core/compare/step_pairs.h"
#include "core/trace/file/progress.h"

#include <optional>
#include <vector>

namespace shardlens {

// Which events of two recordings are the same ones. They are kept as runs that go on alike in both,
// so that ten million events that are the same in both take one.
class EventPairs {
 public:
  // Both positions before the first event are the same.
  std::optional<EventId> rightOf(EventId left) const;
  std::optional<EventId> leftOf(EventId right) const;
  // That of the last event which is the same in both, up to this one.
  EventId rightUpTo(EventId left) const;
  EventId leftUpTo(EventId right) const;

  // Behind those that are there.
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

// Of steps that are the same in both, the events that are inside of the same ones, in order: those
// with the same text, and between them those that call the same.
EventPairs pairEvents(const Journal& left, const Journal& right, const std::vector<StepPair>& steps,
                      const Progress& progress = {});

}  // namespace shardlens
