#pragma once

#include "core/plan/tolls.h"

#include <vector>

namespace shardlens {

// The steps that lead away from a layout towards a target: from the last mesh dimension to the
// first, and for each what the target has there first.
class Neighbours {
 public:
  explicit Neighbours(Layouts& layouts) : layouts_(layouts) {}

  // Valid until the next call.
  const std::vector<Edge>& of(Layout layout);

 private:
  void leaveReplicate(Layout layout, int i);
  // See stillReduces() of placements.
  bool stillReduces(Layout layout) const;
  void leavePartial(Layout layout, int i);
  void leaveCut(Layout layout, int i);
  // Every cut that the mesh dimension can have, given the layout without any.
  void cut(Layout from, Layout uncut, int i, Move move);
  // All that change one cut for another, at once.
  void shuffle(Layout layout);
  bool shuffles(Layout from, Layout to, Dims dims);
  std::optional<Layout> uncut(Layout layout, Dims dims);
  void add(Layout from, std::optional<Layout> to, Dims dims, Move move) {
    if (to && *to != from) edges_.push_back({*to, dims, move});
  }

  Layouts& layouts_;
  std::vector<Edge> edges_;
};

}  // namespace shardlens
