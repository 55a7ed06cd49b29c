#pragma once

#include "core/tensor/runtime.h"

#include <ATen/core/ivalue.h>

#include <string_view>
#include <vector>

namespace shardlens {

// A call as it will run on the hosted ranks: its inputs lie where the strategy wants them.
struct LocalCall {
  Runtime& runtime;
  const CachedCall& plan;
  at::ArrayRef<c10::IValue> args;         // as they were passed, tensors whole
  const std::vector<at::Tensor>& inputs;  // the tensors among them, redistributed
};

struct LocalResult {
  Buffers locals;  // the operator's result on each hosted rank
  Buffers masks;   // what a fused lookup masked; made only while somebody looks
};

// What an operator does on each rank where its plain kernel would not do: shards that may be empty,
// ids that count along a dimension which is cut, one pass instead of several.
struct LocalKernel {
  // Refuses, before anything is sent, what the plain operator would refuse for the whole tensor.
  void (*check)(at::ArrayRef<c10::IValue> args, const std::vector<at::Tensor>& inputs);
  // Null where each rank runs the plain operator all the same.
  LocalResult (*run)(const LocalCall& call);
  // Whether run() masks by itself when the runtime's masking is fused, so that ids need no masking.
  bool masks;
};

// Null where each rank runs the plain operator.
const LocalKernel* findLocalKernel(std::string_view name);

}  // namespace shardlens
