#pragma once

#include "core/inference/domain.h"
#include "core/inference/graph.h"

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace shardlens {

// The placements that inputs and outputs of an operator can have together along one axis: if the
// inputs have theirs, the outputs have theirs.
struct Relation {
  static constexpr int kAnything = -1;  // of an input that may have any values

  struct Row {
    std::vector<int> inputs;  // codes
    std::vector<int> outputs;
    bool operator==(const Row&) const = default;
  };
  // The row in which all inputs and outputs of an operator have one placement.
  static Row rowOfAll(const PlainOperation& op, int code) {
    return {std::vector<int>(op.inputs.size(), code), std::vector<int>(op.outputs.size(), code)};
  }
  std::vector<Row> rows = {};
  // Values of other inputs than those of the rows make sense to the operator, so that a tensor is
  // not known to have none of them. False for arithmetic, whose result then has no meaning.
  bool isOpen = false;
  bool isKnown = false;  // false: nothing is known of the outputs
  // The outputs do not depend on the inputs, as those of zeros_like().
  bool isNew = false;
  // The outputs are elements of the inputs at places of each rank, so that partial ones are no sums
  // over rows of the rank.
  bool selects = false;
};

// Sets PlainVariable::isConstant of all variables, and isLeaf of random numbers that an operator
// creates.
void findSources(PlainGraph& graph);

// The relations of operators, by the engine's sharding rules, which see the shapes of one rank.
class Relations {
 public:
  // Reads the strided shards that the graph's views can make.
  Relations(const PlainGraph& graph, PlacementCodes& codes);

  // Returns the relation of an operator that is no collective. The reference is valid while this
  // object lives.
  const Relation& of(const PlainGraph& graph, const PlainOperation& op);

 private:
  Relation compute(const PlainGraph& graph, const PlainOperation& op);

  PlacementCodes& codes_;
  std::vector<int> factors_;  // of the strided shards
  std::vector<int> merged_;   // of those that views or exchanges make of shards
  std::unordered_map<std::string, Relation> known_;
};

}  // namespace shardlens
