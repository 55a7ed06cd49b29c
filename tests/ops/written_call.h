#pragma once

#include "core/ops/propagator.h"

#include <string>
#include <vector>

namespace shardlens {

// An input of a WrittenCall: its shape, and its placements as placementsOf() parses them.
struct WrittenInput {
  Shape shape;
  std::string placements;
  DType dtype = DType::Float32;
};

// A call in short form. All outputs have the dtype of the first input. If the name ends with "_",
// the call writes its first input.
struct WrittenCall {
  std::string name;
  std::vector<WrittenInput> inputs;
  Shape output = {};
  std::vector<Arg> args = {};
  std::vector<int> mesh = {};  // if empty: two ranks along each mesh dimension
  std::vector<Shape> furtherOutputs = {};
};

// Returns the schema of the call for the propagator.
OpSchema schemaOf(const WrittenCall& call);

// Returns the chosen strategy, or the error message if the call is refused. Example:
// "row-wise: (S(0)) (MaskP(sum, [8, 4], 0)) -> (MaskP(sum, [8, 4], 0))"
std::string chosen(const WrittenCall& call);

// Returns all candidates in this form, in their order. Throws if the call is refused.
std::vector<std::string> candidates(const WrittenCall& call);

// The argument "reduction" of losses, by libtorch's numbers.
enum Reduction : std::int64_t { kNone, kMean, kSum };

inline std::vector<Arg> args(Reduction reduction) {
  return {{"reduction", static_cast<std::int64_t>(reduction)}};
}

}  // namespace shardlens
