#pragma once

#include "core/plan/search/edge_costs.h"

#include <vector>

namespace shardlens {

// The steps that lead away from a layout towards a target: from the last mesh dimension to the
// first, and for each what the target has there first.
class Expansions {
 public:
  explicit Expansions(PlacementCodec& layouts) : layouts_(layouts) {}

  // Valid until the next call.
  const std::vector<Edge>& of(PlacementCode layout);

 private:
  void leaveReplicate(PlacementCode layout, int i);
  // See stillReduces() of placements.
  bool stillReduces(PlacementCode layout) const;
  void leavePartial(PlacementCode layout, int i);
  void leaveCut(PlacementCode layout, int i);
  // Every cut that the mesh dimension can have, given the layout without any.
  void cut(PlacementCode from, PlacementCode uncut, int i, Move move);
  // All that change one cut for another, at once.
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
