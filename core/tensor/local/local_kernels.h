#pragma once

#include "core/tensor/local/local_call.h"

#include <string_view>
#include <vector>

namespace shardlens {

// What an operator does on each rank where its plain kernel would not do: shards that may be empty,
// ids that count along a dimension which is cut, one pass instead of several, something to agree on
// with other ranks.
struct LocalKernel {
  // Refuses, before anything is sent, what the plain operator would refuse for the whole tensor.
  // Null where there is nothing to refuse.
  void (*check)(at::ArrayRef<c10::IValue> args, const std::vector<at::Tensor>& inputs) = nullptr;
  // Null where each rank runs the plain operator all the same.
  LocalResult (*run)(const LocalCall& call) = nullptr;
  // Whether run() can mask ids itself, which it does where the call says so: see
  // CachedCall::fusesMask.
  bool masks = false;
  // Whether run() runs without data too: for its own collectives, which are estimated then, or for
  // what its result is.
  bool runsDry = false;
};

// By the name of the operator; null where each rank runs the plain operator and nothing else is to
// be said.
const LocalKernel* findLocalKernel(std::string_view name);

}  // namespace shardlens
