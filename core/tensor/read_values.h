#pragma once

#include "core/comm/communicator.h"

#include <ATen/core/Tensor.h>

namespace shardlens {

// Reads the values of a sharded tensor in a process that hosts all ranks of its mesh; a check fails
// otherwise. Partial values are reduced, masked rows are zero, and masked ids have their original
// values. Has no side effects: nothing is sent or recorded, the tensor keeps its state, and no
// cache is used. Throws Refusal if the tensor's mask was released already.

// Returns the local value of each rank, in the order of hosted(). Ranks that reduce together share
// one tensor. The result may share memory with the tensor: do not write on it.
Buffers readValues(const at::Tensor& tensor);
// Returns the whole tensor. If replicas differ, the values of the lowest rank win.
at::Tensor readWhole(const at::Tensor& tensor);

}  // namespace shardlens
