#pragma once

#include "core/model/spec.h"
#include "core/ops/halo.h"

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace shardlens {

// The index of a tensor among all tensor arguments, counted through lists. kNone stands for a
// missing element of a list.
struct TensorIndex {
  static constexpr auto kNone = static_cast<std::size_t>(-1);
  std::size_t index = kNone;

  bool isNone() const { return index == kNone; }
};

// The value of an argument. A list of bools is a list of integers. Types that no rule reads are
// given as text.
using ArgValue = std::variant<std::monostate, TensorIndex, bool, std::int64_t, double, DType,
                              std::vector<std::int64_t>, std::vector<TensorIndex>, std::string>;

struct Arg {
  std::string name;
  ArgValue value;
};

// A call of an operator on sharded tensors, without their data. All that a rule may depend on.
struct OpSchema {
  std::string name;  // "aten.sum.dim_IntList"; without the overload "default"
  MeshPtr mesh;
  std::vector<Spec> inputs;  // the tensors among the arguments, in order
  std::vector<Arg> args;
  std::vector<TensorMeta> outputs;
  // For in-place operators: output n is written into inputs[written[n]].
  std::vector<std::size_t> written;

  const TensorMeta& input(std::size_t i) const { return inputs[i].meta; }
  // Returns the argument of this name. Throws CheckFailed if the operator has none.
  const ArgValue& arg(std::string_view argName) const;
  const ArgValue* findArg(std::string_view argName) const;            // nullptr if there is none
  std::vector<std::int64_t> intList(std::string_view argName) const;  // empty for other types
};

// Placements of inputs and outputs on one mesh dimension, one per tensor: if the inputs have
// theirs, the plain kernel on each rank's local tensors gives outputs with theirs.
struct SingleDimStrategy {
  std::string name;  // "row-wise"
  Placements outputs;
  Placements inputs;
};

// A strategy for the full mesh: a single-dimension strategy for each mesh dimension.
struct OpStrategy {
  std::string name;
  std::vector<Placements> outputs;  // of each output
  std::vector<Placements> inputs;   // of each input
  std::vector<Halo> halos = {};     // exchanged while the operator runs
  double cost = 0;                  // microseconds: redistribution of inputs, and halos
  double haloCost = 0;              // the part of `cost` for halos
  std::int64_t bytes = 0;           // received per rank, for both
};

// Returns "row-wise: (S(0)), (MaskP(sum, [8, 4], 0)) -> (MaskP(sum, [8, 4], 0))".
std::string toText(const OpStrategy& strategy);

}  // namespace shardlens
