#pragma once

#include "core/model/event.h"

#include <cstdint>
#include <vector>

namespace shardlens {

// Counts collectives by step and kind, in the order of first occurrence.
class CollectiveCounts {
 public:
  struct Count {
    int step = -1;
    CollectiveKind kind = CollectiveKind::Other;
    int count = 0;
    std::int64_t bytes = 0;        // sent by the hosted ranks
    std::int64_t nanoseconds = 0;  // total duration of the calls
  };

  // Returns the count of this step and kind, created at 0 if missing. Steps must not decrease. The
  // reference is valid until the next count is created.
  Count& of(int step, CollectiveKind kind);
  const std::vector<Count>& all() const { return counts_; }

 private:
  std::vector<Count> counts_;
};

}  // namespace shardlens
