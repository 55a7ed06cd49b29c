#pragma once

#include "core/model/event.h"

#include <vector>

namespace shardlens {

// Which events of a process are which of the merged ones. Both stand in the same order, so a few
// runs of neighbours say it of all.
class Alignment {
 public:
  // The next event of the process is this one.
  void add(EventId merged);

  // Of one of the process; 0 is none.
  EventId mergedOf(EventId part) const;
  // The newest of the process that is this one or before it; 0 where there is none.
  EventId newest(EventId merged) const;
  // The event of the process that is this one; 0 where it has no part in it.
  EventId partOf(EventId merged) const;
  EventId size() const { return size_; }  // so many of the process are merged

 private:
  struct Run {
    EventId part;
    EventId merged;
  };

  std::vector<Run> runs_;
  EventId size_ = 0;
};

}  // namespace shardlens
