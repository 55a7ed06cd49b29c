#pragma once

#include "core/model/spec.h"
#include "core/tensor/runtime.h"

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

namespace shardlens {

// Where an operator needs an input; a plain tensor is replicated.
struct NeededInput {
  at::Tensor tensor;
  Placements placements;
};

// Notes the candidate of an operator that has no rule and runs in one way, with what it costs to
// bring its inputs there; while somebody wants reasons. Inputs that are undefined are none.
void noteSingleCandidate(Runtime& runtime, const std::string& name,
                         const std::vector<NeededInput>& inputs, const Placements& output);

}  // namespace shardlens
