#include "core/session/check/plain_tensors.h"

#include "core/base/refusal.h"
#include "core/memory/dtypes.h"
#include "core/session/legacy_calls.h"
#include "core/session/scenario/tensor_literal.h"
#include "core/tensor/dtensor.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace shardlens {
namespace {

void renormRows(const LegacyOptions& options, const at::Tensor& weight, const at::Tensor& ids) {
  if (!options.maxNorm) return;
  auto rows = weight.detach();
  at::embedding_renorm_(rows, ids.reshape({-1}), *options.maxNorm, options.normType);
}

// Returns libtorch's number of a bag mode.
std::int64_t modeNumber(const std::string& mode) {
  return mode == "sum" ? 0 : mode == "mean" ? 1 : 2;
}

}  // namespace

std::string PlainTensors::uncheckedReason(const ScenarioStep& step) {
  const auto call = StepReader(step, {}).call();
  if (call == "from_locals") return kGivenInParts;
  const bool isUnset = call.starts_with("aten.empty") || call.starts_with("aten.new_empty");
  return isUnset ? "its elements are not set" : "";
}

at::Tensor PlainTensors::tensor(const StepReader& step) {
  return makeDense(step.body(), Data::Made);
}

at::Tensor PlainTensors::fromLocals(const StepReader&) { throw Refusal(kGivenInParts); }

at::Tensor PlainTensors::redistribute(const StepReader& step) {
  const auto tensor = step.tensorArg(0);
  const auto [forward, backward] = step.types();
  auto moved = forward ? tensor.to(scalarType(*forward)) : tensor;
  if (moved.is_same(tensor)) moved = keepsPlacements(step) ? tensor.alias() : tensor.clone();
  if (backward && moved.requires_grad()) {
    moved.register_hook([type = scalarType(*backward)](const at::Tensor& gradient) {
      return gradient.to(type).to(gradient.scalar_type());
    });
  }
  return moved;
}

bool PlainTensors::keepsPlacements(const StepReader& step) const {
  const auto sharded = step.after(sharded_);
  const auto tensor = sharded.tensorArg(0);
  const Spec& spec = specOf(tensor);
  return sharded.placements(*spec.mesh, spec.meta.ndim()) == spec.placements;
}

at::Tensor PlainTensors::shardedEmbedding(const StepReader& step) {
  const auto [weight, ids, options] = readShardedEmbedding(step);
  renormRows(options, weight, ids);
  constexpr std::int64_t kNoPadding = -1;  // libtorch's value for none
  auto padding = options.paddingIdx;
  if (padding && *padding < 0) *padding += weight.size(0);
  return at::embedding(weight, ids, padding.value_or(kNoPadding));
}

at::Tensor PlainTensors::shardedEmbeddingBag(const StepReader& step) {
  const auto [weight, ids, options] = readShardedEmbeddingBag(step);
  renormRows(options, weight, ids);
  const bool isFlat = ids.dim() == 1;
  const auto offsets =
      isFlat ? options.offsets.value()
             : at::arange(0, ids.numel(), std::max<std::int64_t>(ids.size(1), 1), ids.options());
  auto weights = options.perSampleWeights;
  if (weights) weights = weights->reshape({-1});
  return std::get<0>(at::embedding_bag(weight, ids.reshape({-1}), offsets,
                                       /*scale_grad_by_freq=*/false, modeNumber(options.mode),
                                       /*sparse=*/false, weights, options.includeLastOffset,
                                       options.paddingIdx));
}

}  // namespace shardlens
