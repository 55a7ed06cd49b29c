#pragma once

#include "core/plan/search/edge_costs.h"

#include <vector>

namespace shardlens {

// Generates the edges that leave a placement state on the way to the codec's target: mesh
// dimensions from last to first, and for each the target's placement first. Keeps a reference to
// the codec, whose fit() must be true.
class Expansions {
 public:
  explicit Expansions(PlacementCodec& codec) : codec_(codec) {}

  // Returns the edges. The reference is valid until the next call.
  const std::vector<Edge>& of(PlacementCode state);

 private:
  void leaveReplicate(PlacementCode state, int i);
  // As stillReduces() for placements.
  bool stillReduces(PlacementCode state) const;
  void leavePartial(PlacementCode state, int i);
  void leaveShard(PlacementCode state, int i);
  // Adds every shard that the mesh dimension can get, given the state in which it has none.
  void addShards(PlacementCode from, PlacementCode withoutShard, int i, Move move);
  // Adds one all-to-all that changes several shards to the target's at once.
  void shuffle(PlacementCode state);
  bool shuffles(PlacementCode from, PlacementCode to, Dims dims);
  std::optional<PlacementCode> withoutShards(PlacementCode state, Dims dims);
  void add(PlacementCode from, std::optional<PlacementCode> to, Dims dims, Move move) {
    if (to && *to != from) edges_.push_back({*to, dims, move});
  }

  PlacementCodec& codec_;
  std::vector<Edge> edges_;
};

}  // namespace shardlens
