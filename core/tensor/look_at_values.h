#pragma once

#include "core/comm/communicator.h"

#include <ATen/core/Tensor.h>

namespace shardlens {

// What the parts of a tensor stand for, in a process that hosts all ranks of its mesh: terms are
// reduced, masked rows are zero, and masked ids are what they were. Nobody else notices: nothing is
// sent, recorded or changed, and no cache is asked. Throws Refusal where a mask is no longer there.

// For each rank its part; ranks whose terms are reduced together share one tensor.
Buffers lookAtValues(const at::Tensor& tensor);
// The whole tensor; where replicas differ, that of the lowest rank.
at::Tensor lookAtWhole(const at::Tensor& tensor);

}  // namespace shardlens
