#pragma once

#include "core/model/shard_geometry.h"

#include <cstdint>
#include <vector>

namespace shardlens {

// Rows, or columns, that are drawn as one.
struct Stretch {
  std::int64_t first = 0;
  std::int64_t length = 1;
  bool operator==(const Stretch&) const = default;
};

// Which local indices are drawn when there is room for `most`: all, or spans that stand for several
// each. A span never reaches over the end of a run, so that what is interleaved looks interleaved
// however little room there is. With more runs than room the first are drawn.
//
//   {0,4},{8,4} with room for 4: {0,2},{2,2},{4,2},{6,2}; with room for 1: {0,4}
std::vector<Stretch> sampled(const Runs& runs, std::int64_t most);
// How many those are.
std::int64_t sampledCount(const Runs& runs, std::int64_t most);

}  // namespace shardlens
