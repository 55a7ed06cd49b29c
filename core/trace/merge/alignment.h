#pragma once

#include "core/model/event.h"

#include <vector>

namespace shardlens {

// Maps the events of one process to the events of a merged journal and back. Both are in the same
// order, so a few runs of consecutive ids suffice. Lookups take logarithmic time in the runs.
class Alignment {
 public:
  // Maps the next event of the process to `merged`, which must increase.
  void add(EventId merged);

  // Returns the merged id of event `part`, which must be at most size(); 0 for 0.
  EventId mergedOf(EventId part) const;
  // Returns the newest event of the process at or before `merged`; 0 if there is none.
  EventId newest(EventId merged) const;
  // Returns the event of the process that is `merged`; 0 if the process has no part in it.
  EventId partOf(EventId merged) const;
  EventId size() const { return size_; }  // the events of the process that are mapped

 private:
  struct Run {
    EventId part;
    EventId merged;
  };

  std::vector<Run> runs_;
  EventId size_ = 0;
};

}  // namespace shardlens
