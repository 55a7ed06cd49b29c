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
  // Returns true if an operation may combine parts of different places, as a sum of a block and
  // one that came from another rank.
  bool mixes(std::size_t operation) const { return hasMessages_ && mixes_[operation]; }
  // Returns true for a product of a block and one that another rank has sent once, so that both are
  // parts of different places.
  bool crosses(std::size_t operation) const { return hasMessages_ && crosses_[operation]; }
  // Returns true if all messages of the program stay within the groups of the axis.
  bool containsMessages() const { return containsMessages_; }
  // Ranks of the axis exchange rows by an all_to_all, so that a sum over rows may be of one rank
  // alone, as the gradient of an expert.
  bool exchangesRows() const { return exchangesRows_; }
  // Returns true for a variable that consists of parameters alone, if ranks exchange rows: each
  // rank may have others, as the weights of its expert, which rows that it received do not show.
  bool isWeight(std::size_t variable) const { return isWeight_[variable]; }

 private:
  void findWeights(const PlainGraph& graph);
  void findMotions(const PlainGraph& graph, const RankAxis& axis);

  bool hasMessages_;
  bool containsMessages_;
  std::vector<bool> mixes_, crosses_;  // by operation
  bool exchangesRows_;
  std::vector<bool> isWeight_;
};

}  // namespace shardlens
