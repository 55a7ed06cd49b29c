#pragma once

#include "core/model/shard_geometry.h"

#include <cstdint>
#include <vector>

namespace shardlens {

// A range of rows or columns that is drawn as one.
struct Stretch {
  std::int64_t first = 0;
  std::int64_t length = 1;
  bool operator==(const Stretch&) const = default;
};

// Returns the spans of local indices to draw, at most `most`: single indices if all fit, else equal
// spans of several. A span never crosses the end of a run, so that interleaved shards look
// interleaved. If there are more runs than `most`, only the first are drawn. `most` must be at
// least 1.
//
//   {0,4},{8,4} with room for 4: {0,2},{2,2},{4,2},{6,2}; with room for 1: {0,4}
std::vector<Stretch> sampled(const Runs& runs, std::int64_t most);
// Returns the number of spans of sampled(), without making them.
std::int64_t sampledCount(const Runs& runs, std::int64_t most);

}  // namespace shardlens
