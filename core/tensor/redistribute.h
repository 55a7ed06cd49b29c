#pragma once

#include "core/model/placement.h"
#include "core/trace/recorder.h"

#include <ATen/core/Tensor.h>

namespace shardlens {

// The same tensor under other placements; differentiable. Refuses what has no meaning. The tensor
// it reads is left as it is; where nothing has to change, the result shares its memory.
at::Tensor redistribute(const at::Tensor& tensor, const Placements& target);

// The same below autograd, with its cause for the recording: an operator's need (Implicit) or the
// program's wish (Explicit).
at::Tensor redistributeBelowAutograd(const at::Tensor& tensor, const Placements& target,
                                     Verdict cause);

}  // namespace shardlens
