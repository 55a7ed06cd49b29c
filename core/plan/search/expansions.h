#pragma once

#include "core/plan/search/edge_costs.h"

#include <vector>

namespace shardlens {

// Generates the edges that leave a placement state on the way to the codec's target: mesh
// dimensions from last to first, and for each the target's placement first.
class Expansions {
 public:
  explicit Expansions(PlacementCodec& layouts) : layouts_(layouts) {}

  // Returns the edges. The reference is valid until the next call.
  const std::vector<Edge>& of(PlacementCode layout);

 private:
  void leaveReplicate(PlacementCode layout, int i);
  // As stillReduces() for placements.
  bool stillReduces(PlacementCode layout) const;
  void leavePartial(PlacementCode layout, int i);
  void leaveCut(PlacementCode layout, int i);
  // Adds every shard that the mesh dimension can get, given the state in which it has none.
  void cut(PlacementCode from, PlacementCode uncut, int i, Move move);
  // Adds one all-to-all that changes several shards to the target's at once.
  void shuffle(PlacementCode layout);
  bool shuffles(PlacementCode from, PlacementCode to, Dims dims);
  std::optional<PlacementCode> uncut(PlacementCode layout, Dims dims);
  void add(PlacementCode from, std::optional<PlacementCode> to, Dims dims, Move move) {
    if (to && *to != from) edges_.push_back({*to, dims, move});
  }

  PlacementCodec& layouts_;
  std::vector<Edge> edges_;
};

}  // namespace shardlens
