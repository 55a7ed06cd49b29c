#pragma once

#include "core/tensor/caches/strategy_cache.h"
#include "core/tensor/runtime.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/ivalue.h>

#include <functional>
#include <optional>
#include <vector>

namespace shardlens {

class OwnedRows;

// What the hosted ranks computed.
struct LocalResult {
  std::vector<Buffers> outputs;  // for each output a buffer for each hosted rank
  Buffers masks = {};            // what a fused lookup masked; made only while somebody looks
  std::vector<c10::IValue> plain = {};   // results that are no tensors: the same on every rank
  std::shared_ptr<OwnedRows> rows = {};  // instead of the first output's buffers
};

// A call as it will run on the hosted ranks: its inputs lie where the strategy wants them.
struct LocalCall {
  Runtime& runtime;
  const c10::OperatorHandle& op;
  const CachedCall& plan;
  at::ArrayRef<c10::IValue> args;         // as they were passed, tensors whole
  const std::vector<at::Tensor>& inputs;  // the tensors among them, redistributed

  std::size_t hosted() const { return runtime.comm().hosted().size(); }
  // The part of an input that the i-th hosted rank has; a plain tensor is every rank's.
  const at::Tensor& local(std::size_t input, std::size_t i) const;
  // The arguments of the i-th hosted rank: its parts of the tensors, and sizes in its own.
  torch::jit::Stack arguments(std::size_t i) const;
  // What the plain operator gives for them, or for others in their place. A rank that has nothing
  // of an input does not run it where the rule says so.
  torch::jit::Stack runPlain(std::size_t i) const;
  torch::jit::Stack runPlain(std::size_t i, torch::jit::Stack arguments) const;
};

// What every hosted rank gives: run(i) is the stack of results of the i-th.
LocalResult collected(const LocalCall& call,
                      const std::function<torch::jit::Stack(std::size_t)>& run);

// Every hosted rank runs the plain operator.
LocalResult runPlain(const LocalCall& call);

// What `run` gives; where libtorch refuses what some rank's part holds, every rank refuses.
LocalResult allOrNone(const LocalCall& call, const std::function<LocalResult()>& run);

}  // namespace shardlens
