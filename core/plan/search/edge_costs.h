#pragma once

#include "core/plan/cost.h"
#include "core/plan/search/placement_codec.h"

#include <array>
#include <compare>
#include <vector>

namespace shardlens {

// The cost of a path, in integers so that sums are exact. Compared member by member in this order.
struct PathCost {
  std::int64_t time = 0;  // picoseconds
  std::int64_t collectives = 0;
  std::int64_t bytes = 0;  // received, in units of 1/256 byte
  std::int64_t steps = 0;

  PathCost operator+(const PathCost& other) const {
    return {time + other.time, collectives + other.collectives, bytes + other.bytes,
            steps + other.steps};
  }
  auto operator<=>(const PathCost&) const = default;
};

// A set of the codec's mesh dimensions, bit i for index i.
using Dims = unsigned;

// A step of the search: one collective or local move to another placement state.
struct Edge {
  PlacementCode to = 0;
  Dims dims = 0;  // a group is the ranks that differ along these
  Move move = Move::Relabel;
};

// The costs of edges, and lower bounds of paths, for one search. Keeps references to the
// constructor's arguments. Requires codec.fit(). Not thread-safe.
class EdgeCosts {
 public:
  EdgeCosts(const CostModel& model, const Spec& current, const PlacementCodec& codec);

  // Returns the cost of the edge that leaves `from`.
  PathCost of(PlacementCode from, const Edge& edge);
  // Returns a lower bound on the cost of every path from `from` to the codec's target.
  PathCost lowerBound(PlacementCode from) const;

 private:
  static constexpr std::size_t kMostDims = 8;
  // A collective over one mesh dimension.
  struct Ring {
    CollectiveRate rate;
    std::int64_t least = 0;  // picoseconds without bytes
  };

  Ring ringOf(int i, Move move);
  Dims shardedDims(PlacementCode state) const;

  const CostModel& model_;
  const Spec& current_;
  const PlacementCodec& codec_;
  std::int64_t startup_;
  std::array<Ring, kMostDims> half_;               // all_gather, reduce_scatter, all_to_all
  std::array<Ring, kMostDims> full_;               // all_reduce
  std::array<double, 1 << kMostDims> localBytes_;  // by the set of mesh dimensions that shard
  std::vector<int> meshDims_;
};

}  // namespace shardlens
