#include "core/ops/rules/loss_reduction.h"
#include "core/ops/rules/rules.h"

#include <functional>

namespace shardlens {
namespace {

// For an input [N, C, d...] and a target [N, d...]: calls fn with each shard of a dimension that
// both have.
void forEachShard(const OpSchema& call, int ndim,
                  const std::function<void(const Placement& input, const Placement& target)>& fn) {
  for (int dim = 0; dim < ndim; ++dim) {
    const bool countsClasses = dim == (ndim > 1 ? 1 : 0);
    if (countsClasses) continue;
    const auto inputs = shardsOf(call, dim);
    const auto targets = shardsOf(call, dim > 1 ? dim - 1 : dim);
    for (std::size_t i = 0; i < inputs.size(); ++i) fn(inputs[i], targets[i]);
  }
}

// out[i] = -weight[target[i]] * input[i, target[i]]; total = sum_i weight[target[i]]. For a mean,
// the kernel combines both sums over the ranks.
std::vector<SingleDimStrategy> nllLoss(const OpSchema& call) {
  const bool weighted = call.inputs.size() == 3;
  std::vector<SingleDimStrategy> strategies;
  forEachShard(call, call.input(0).ndim(), [&](const auto& input, const auto& target) {
    SingleDimStrategy strategy{"rows", {target, Replicate{}}, {input, target}};
    if (lossReduction(call) == LossReduction::Sum) strategy.outputs = {Partial{}, Partial{}};
    if (lossReduction(call) == LossReduction::Mean) strategy.outputs = {Replicate{}, Replicate{}};
    if (weighted) strategy.inputs.push_back(Replicate{});
    strategies.push_back(std::move(strategy));
  });
  return strategies;
}

std::vector<TensorMeta> nllLossOutputs(const OpSchema& call) {
  const auto& dtype = call.input(0).dtype;
  const auto shape = lossReduction(call) == LossReduction::None ? call.input(1).shape : Shape();
  return {inOrder(shape, dtype), inOrder({}, dtype)};
}

// dinput[i, target[i]] = -weight[target[i]] * dout[i]; for a sum * dout, for a mean * dout / total.
std::vector<SingleDimStrategy> nllLossBackward(const OpSchema& call) {
  const bool weighted = call.inputs.size() == 5;
  std::vector<SingleDimStrategy> strategies;
  forEachShard(call, call.input(1).ndim(), [&](const auto& input, const auto& target) {
    const auto add = [&](const Placement& gradient, const Placement& total) {
      SingleDimStrategy strategy{"rows", {input}, {gradient, input, target}};
      if (weighted) strategy.inputs.push_back(Replicate{});
      strategy.inputs.push_back(total);
      strategies.push_back(std::move(strategy));
    };
    add(lossReduction(call) == LossReduction::None ? target : Placement(Replicate{}), Replicate{});
    // A sum does not read the total.
    if (lossReduction(call) == LossReduction::Sum) add(Replicate{}, Partial{});
  });
  return strategies;
}

}  // namespace

std::vector<NamedRule> lossRules() {
  const Rule forward{.singleDimStrategies = nllLoss, .emptyShards = Rule::EmptyShards::Kept};
  const Rule backward{.singleDimStrategies = nllLossBackward,
                      .emptyShards = Rule::EmptyShards::Kept};
  Rule forward2d = forward, backward2d = backward;
  forward2d.outputs = nllLossOutputs;
  backward2d.outputs = likeSecond;
  return {{"aten.nll_loss_forward", forward},
          {"aten.nll_loss_backward", backward},
          {"aten.nll_loss2d_forward", forward2d},
          {"aten.nll_loss2d_backward", backward2d}};
}

}  // namespace shardlens
