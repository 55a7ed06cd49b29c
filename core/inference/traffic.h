#pragma once

#include "core/inference/axes.h"
#include "core/inference/graph.h"

#include <cstddef>
#include <vector>

namespace shardlens {

// What the ranks of an axis exchange that implies no placements: messages, and rows such as the
// tokens of experts. It decides which assumptions about arithmetic hold along the axis.
class AxisTraffic {
 public:
  AxisTraffic(const PlainGraph& graph, const RankAxis& axis);

  // Ranks of the axis send messages to each other. A product of parts that do not match then makes
  // sense, as that of a block with one that comes from another rank.
  bool hasMessages() const { return hasMessages_; }
  // Ranks of the axis exchange rows by an all_to_all, so that a sum over rows may be of one rank
  // alone, as the gradient of an expert.
  bool exchangesRows() const { return exchangesRows_; }
  // Returns true for a variable that consists of parameters alone, if ranks exchange rows: each
  // rank may have others, as the weights of its expert, which rows that it received do not show.
  bool isWeight(std::size_t variable) const { return isWeight_[variable]; }

 private:
  void findWeights(const PlainGraph& graph);

  bool hasMessages_;
  bool exchangesRows_;
  std::vector<bool> isWeight_;
};

}  // namespace shardlens
