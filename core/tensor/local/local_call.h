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

// The results of a call on the hosted ranks, which are in the order of Communicator::hosted()
// everywhere.
struct LocalResult {
  std::vector<Buffers> outputs;  // per output, per hosted rank
  Buffers masks = {};            // the masks of a fused lookup, if the recording captures values
  std::vector<c10::IValue> plain = {};   // non-tensor results, equal on all ranks
  std::shared_ptr<OwnedRows> rows = {};  // replaces the first output's buffers if set
};

// A call about to run on the hosted ranks, with inputs placed as the strategy requires. Refers to
// its caller's data: valid during the call only. Below, i is an index into hosted(), not a rank.
struct LocalCall {
  Runtime& runtime;
  const c10::OperatorHandle& op;
  const CachedCall& plan;
  at::ArrayRef<c10::IValue> args;         // as passed by the caller: whole tensors
  const std::vector<at::Tensor>& inputs;  // the tensors among args, redistributed

  // Returns the number of hosted ranks.
  std::size_t hosted() const { return runtime.comm().hosted().size(); }
  // Returns the i-th hosted rank's local of an input. A plain tensor is the same on every rank.
  const at::Tensor& local(std::size_t input, std::size_t i) const;
  // Returns the i-th hosted rank's arguments: locals, the size and stride of its local result, and
  // its device in place of another GPU.
  torch::jit::Stack arguments(std::size_t i) const;
  // Runs the plain operator for the i-th hosted rank, with these or other arguments. Under
  // EmptyShards::Skipped, a rank with an empty part returns zeros instead.
  torch::jit::Stack runPlain(std::size_t i) const;
  torch::jit::Stack runPlain(std::size_t i, torch::jit::Stack arguments) const;
};

// Collects the results of all hosted ranks: run(i) returns the result stack of the i-th. The
// tensors of a list are outputs of their own. Other values are taken from the first hosted rank.
// Passes on what `run` throws.
LocalResult collected(const LocalCall& call,
                      const std::function<torch::jit::Stack(std::size_t)>& run);

// Runs the plain operator on every hosted rank.
LocalResult runPlain(const LocalCall& call);

// Returns run(). If it throws a c10::Error in any process, throws Refusal in all; passes on other
// exceptions at once. Collective.
LocalResult allOrNone(const LocalCall& call, const std::function<LocalResult()>& run);

}  // namespace shardlens
