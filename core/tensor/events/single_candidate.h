#pragma once

#include "core/model/spec.h"
#include "core/tensor/runtime.h"

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

namespace shardlens {

// An input and the placements that an operator requires. A plain tensor counts as replicated.
struct NeededInput {
  at::Tensor tensor;
  Placements placements;
};

// Records the only candidate of an operator that has no rule, with the cost of redistributing its
// inputs. Does nothing unless a sink requests reasons. Skips undefined inputs.
void noteSingleCandidate(Runtime& runtime, const std::string& name,
                         const std::vector<NeededInput>& inputs, const Placements& output);

}  // namespace shardlens
