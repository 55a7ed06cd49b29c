#pragma once

#include "core/plan/cost.h"
#include "core/plan/search/placement_codec.h"

#include <array>
#include <compare>
#include <vector>

namespace shardlens {

// What a way costs so far, in numbers that add up without rounding, the weightiest first.
struct PathCost {
  std::int64_t time = 0;  // picoseconds
  std::int64_t collectives = 0;
  std::int64_t bytes = 0;  // received, in 256ths of one
  std::int64_t steps = 0;

  PathCost operator+(const PathCost& other) const {
    return {time + other.time, collectives + other.collectives, bytes + other.bytes,
            steps + other.steps};
  }
  auto operator<=>(const PathCost&) const = default;
};

// Sets of the mesh dimensions of a layout, a bit each.
using Dims = unsigned;

// A step from a layout to another.
struct Edge {
  PlacementCode to = 0;
  Dims dims = 0;  // the ranks that differ along these take part
  Move move = Move::Relabel;
};

// The price list of one search.
class EdgeCosts {
 public:
  EdgeCosts(const CostModel& model, const Spec& current, const PlacementCodec& layouts);

  PathCost of(PlacementCode from, const Edge& edge);
  // Of all ways from here to the target, at least this.
  PathCost least(PlacementCode from) const;

 private:
  static constexpr std::size_t kMostDims = 8;
  // Of a collective over one mesh dimension.
  struct Ring {
    CollectiveRate rate;
    std::int64_t least = 0;  // picoseconds, if there were no bytes
  };

  Ring ringOf(int i, Move move);
  Dims cutDims(PlacementCode layout) const;

  const CostModel& model_;
  const Spec& current_;
  const PlacementCodec& layouts_;
  std::int64_t startup_;
  std::array<Ring, kMostDims> half_;               // all_gather, reduce_scatter, all_to_all
  std::array<Ring, kMostDims> full_;               // all_reduce
  std::array<double, 1 << kMostDims> localBytes_;  // by the mesh dimensions that cut
  std::vector<int> meshDims_;
};

}  // namespace shardlens
