#pragma once

#include "core/tensor/local/local_call.h"

#include <string_view>
#include <vector>

namespace shardlens {

// The local implementation of an operator whose plain kernel cannot run on each rank alone.
// Examples: shards that may be empty, ids along a sharded dimension, a fused pass, values that
// ranks must agree on.
struct LocalKernel {
  // Throws Refusal, before anything is sent, where the plain operator would refuse the whole
  // tensors. `args` are as passed; `inputs` are the tensors among them, before redistribution. Null
  // if there is nothing to check. The comment above a check lists the operator's arguments.
  void (*check)(at::ArrayRef<c10::IValue> args, const std::vector<at::Tensor>& inputs) = nullptr;
  // Runs the call on every hosted rank and returns the results. Null if each rank runs the plain
  // operator.
  LocalResult (*run)(const LocalCall& call) = nullptr;
  // Whether run() can mask ids itself, as requested by CachedCall::fusesMask.
  bool masks = false;
  // Whether run() also runs without data, so that its collectives are estimated and its result is
  // known. If not, a run without data does not call it.
  bool runsDry = false;
};

// Returns the kernel of an operator by name ("aten.embedding"), or null if it has none. The kernel
// lives as long as the process. Thread-safe.
const LocalKernel* findLocalKernel(std::string_view name);

}  // namespace shardlens
