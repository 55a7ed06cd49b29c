#pragma once

#include "core/model/spec.h"
#include "core/ops/halo.h"

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace shardlens {

// The n-th tensor among the arguments, counted through lists; in a list also none.
struct TensorIndex {
  static constexpr auto kNone = static_cast<std::size_t>(-1);
  std::size_t index = kNone;

  bool isNone() const { return index == kNone; }
};

// An argument as rules read it; a list of truth values is one of numbers. Whatever no rule asks for
// is there only as text.
using ArgValue = std::variant<std::monostate, TensorIndex, bool, std::int64_t, double, DType,
                              std::vector<std::int64_t>, std::vector<TensorIndex>, std::string>;

struct Arg {
  std::string name;
  ArgValue value;
};

// A call of an operator on sharded tensors, without their data: all that a rule may read.
struct OpSchema {
  std::string name;  // "aten.sum.dim_IntList"; the overload "default" is left out
  MeshPtr mesh;
  std::vector<Spec> inputs;  // the tensors among the arguments, in order
  std::vector<Arg> args;
  std::vector<TensorMeta> outputs;
  // Of operators that work in place: the n-th output is written into inputs[written[n]].
  std::vector<std::size_t> written;

  const TensorMeta& input(std::size_t i) const { return inputs[i].meta; }
  // The argument of this name; a check fails where the operator has none.
  const ArgValue& arg(std::string_view argName) const;
  const ArgValue* findArg(std::string_view argName) const;            // null where it has none
  std::vector<std::int64_t> intList(std::string_view argName) const;  // empty where it is None
};

// The placements over one mesh dimension that the inputs must have so that the plain kernel, run on
// each rank's locals, gives outputs with these placements.
struct SingleDimStrategy {
  std::string name;  // "row-wise"
  Placements outputs;
  Placements inputs;
};

// The same for the full mesh: a single-dimension strategy for each of its dimensions.
struct OpStrategy {
  std::string name;
  std::vector<Placements> outputs;  // of each output
  std::vector<Placements> inputs;   // of each input
  std::vector<Halo> halos = {};     // exchanged while the operator runs
  double cost = 0;                  // microseconds to bring the inputs there, and of halos
  double haloCost = 0;              // of halos alone
  std::int64_t bytes = 0;           // that a rank receives meanwhile
};

// "row-wise: (S(0)), (MaskP(sum, [8, 4], 0)) -> (MaskP(sum, [8, 4], 0))"
std::string toText(const OpStrategy& strategy);

}  // namespace shardlens
