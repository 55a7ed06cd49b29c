#pragma once

#include "core/ops/propagator.h"

#include <string>
#include <vector>

namespace shardlens {

// A call as tests write it: the shape and the placements of each input, as placementsOf() reads
// them, and the shapes of the results.
struct WrittenInput {
  Shape shape;
  std::string placements;
  DType dtype = DType::Float32;
};

struct WrittenCall {
  std::string name;
  std::vector<WrittenInput> inputs;
  Shape output = {};
  std::vector<Arg> args = {};
  std::vector<int> mesh = {};  // by default of two ranks along each placement
  std::vector<Shape> furtherOutputs = {};
};

OpSchema schemaOf(const WrittenCall& call);

// How the call will run, "row-wise: (S(0)) (MaskP(sum, [8, 4], 0)) -> (MaskP(sum, [8, 4], 0))", or
// why it cannot.
std::string chosen(const WrittenCall& call);

// The same for each of the ways that are possible, in their order.
std::vector<std::string> candidates(const WrittenCall& call);

}  // namespace shardlens
