#include "core/tensor/dispatch/sharded_call.h"

#include "core/base/refusal.h"
#include "core/tensor/dispatch/output_metas.h"
#include "core/tensor/distribute.h"
#include "core/tensor/events/explain.h"
#include "core/tensor/local/written_locals.h"
#include "core/tensor/redistribute/redistribute.h"
#include "core/tensor/values/ivalues.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/function.h>

#include <algorithm>

namespace shardlens {

ShardedCall::ShardedCall(const OpEntry& entry, Args args)
    : entry_(entry),
      args_(args),
      inputs_(collectInputs(entry.name, args)),
      runtime_(*inputs_.runtime) {}

std::vector<c10::IValue> ShardedCall::run() {
  runtime_.recorder().rethrow();
  return inOperator(runtime_, entry_.name, inputs_.tensors, [this] { return results(); });
}

std::vector<c10::IValue> ShardedCall::results() {
  refuseMixed(entry_.name, inputs_);
  refuseLostWrites();
  reduceIds();
  if (isSizedByData(entry_, args_)) gatherInputs();
  if (kernel() != nullptr && kernel()->check != nullptr) {
    kernel()->check(args_, inputs_.tensors);
  }
  const CachedCallPtr answer = callAnswer(entry_, args_, inputs_);
  if (answer->movesInputs) {
    if (areRedistributionsExplicit()) refuseImplicit(*answer);
    redistributeInputs(*answer);
  }
  applyMasks();
  // A running redistribution may still read what this call writes.
  if (!entry_.writtenArgs.empty()) {
    runtime_.comm().wait();
    if (!entry_.viewsInPlace) materializeWritten();
  }
  return wrapped(*answer, runLocally(*answer));
}

bool ShardedCall::isInFormula() {
  return isComputingGradients() &&
         torch::autograd::get_current_node()->name() != "torch::autograd::AccumulateGrad";
}

void ShardedCall::refuseLostWrites() const {
  for (const auto arg : entry_.writtenArgs) {
    forEachTensor(args_[arg], [&](const at::Tensor& tensor) {
      if (!isDTensor(tensor) || !dtensorImpl(tensor).isCopiedView() || !isInFormula()) return;
      throw Refusal(entry_.name +
                    ": the formula of a gradient writes on a view whose tensor had to be "
                    "redistributed for it, so that this would not be reached. Please redistribute "
                    "the operator's inputs, and its result, to be replicated before");
    });
  }
}

bool ShardedCall::isCopiedView(std::size_t result, const CachedCall& answer) const {
  const auto* alias = entry_.op.schema().returns()[result].alias_info();
  if (alias == nullptr || alias->isWrite() || !isComputingGradients()) return false;
  return answer.movesInputs ||
         std::any_of(inputs_.tensors.begin(), inputs_.tensors.end(), [](const auto& input) {
           return isDTensor(input) && dtensorImpl(input).isCopiedView();
         });
}

void ShardedCall::reduceIds() {
  for (const std::size_t at : entry_.idArgs) {
    bool havePartials = false;
    forEachTensor(args_[at], [&](const at::Tensor& ids) {
      havePartials = havePartials || hasPartialIds(ids);
      if (havePartials && areRedistributionsExplicit())
        refuseImplicit(toText(specOf(ids)), "ids -> whole ids");
    });
    if (!havePartials) continue;
    reducedArgs_.assign(args_.begin(), args_.end());
    reducedArgs_[at] = mapTensors(args_[at], reducedIds);
    args_ = reducedArgs_;
    inputs_ = collectInputs(entry_.name, args_);
  }
}

void ShardedCall::gatherInputs() {
  const Placements whole(static_cast<std::size_t>(runtime_.mesh()->ndim()), Replicate{});
  std::vector<c10::IValue> gathered;
  for (const auto& arg : args_) {
    gathered.push_back(mapTensors(arg, [&](const at::Tensor& tensor) {
      if (!isDTensor(tensor) || specOf(tensor).placements == whole) return tensor;
      if (areRedistributionsExplicit()) {
        refuseImplicit(toText(specOf(tensor)),
                       toText(specOf(tensor).placements) + " -> " + toText(whole));
      }
      return redistributeBelowAutograd(tensor, whole, Verdict::Implicit);
    }));
  }
  reducedArgs_ = std::move(gathered);
  args_ = reducedArgs_;
  inputs_ = collectInputs(entry_.name, args_);
}

void ShardedCall::refuseImplicit(const CachedCall& answer) const {
  const auto& chosen = answer.strategy;
  if (chosen.cost <= chosen.haloCost) return;
  std::string call, moves;
  for (std::size_t i = 0; i < chosen.inputs.size(); ++i) {
    const Spec& input = answer.schema.inputs[i];
    call += (call.empty() ? "" : ", ") + toText(input);
    if (chosen.inputs[i] == input.placements) continue;
    moves +=
        (moves.empty() ? "" : ", ") + toText(input.placements) + " -> " + toText(chosen.inputs[i]);
  }
  refuseImplicit(call, moves);
}

void ShardedCall::refuseImplicit(const std::string& call, const std::string& moves) const {
  throw Refusal("Implicit redistribution occurred for " + entry_.name + "(" + call +
                ") while ExplicitRedistributionContext was active: got " + moves +
                ", expected a redistribute before");
}

void ShardedCall::redistributeInputs(const CachedCall& answer) {
  for (std::size_t i = 0; i < inputs_.tensors.size(); ++i) {
    auto& tensor = inputs_.tensors[i];
    const Placements& target = answer.wanted[i];
    const Placements& current = answer.schema.inputs[i].placements;
    if (target == current) continue;
    // A plain scalar counts as replicated, and can be redistributed to a partial placement.
    if (!isDTensor(tensor)) tensor = distribute(inputs_.runtime, tensor, current);
    if (hasMask(target)) {
      auto masked = redistributeIds(tensor, target, Verdict::Implicit, answer.buffer);
      tensor = std::move(masked.ids);
      masked_ = std::move(masked.hold);
    } else {
      tensor = redistributeBelowAutograd(tensor, target, Verdict::Implicit);
    }
  }
}

void ShardedCall::applyMasks() const {
  for (const auto& input : inputs_.tensors) {
    if (!isDTensor(input)) continue;
    const auto& impl = dtensorImpl(input);
    if (isPendingResult(impl)) impl.pending()->apply(impl.locals(), impl.record());
  }
}

void ShardedCall::materializeWritten() const {
  std::size_t input = 0;
  for (std::size_t at = 0; at < args_.size(); ++at) {
    const bool written = std::count(entry_.writtenArgs.begin(), entry_.writtenArgs.end(), at) > 0;
    forEachTensor(args_[at], [&](const at::Tensor&) {
      const auto& tensor = inputs_.tensors[input++];
      if (!written) return;
      if (!isDTensor(tensor)) return materialize(tensor);
      for (const auto& local : dtensorImpl(tensor).locals()) materialize(local);
    });
  }
}

}  // namespace shardlens
