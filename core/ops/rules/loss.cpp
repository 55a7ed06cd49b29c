#include "core/ops/rules/rules.h"

#include <functional>

namespace shardlens {
namespace {

enum Reduction : std::int64_t { kNone, kMean, kSum };

Reduction reductionOf(const OpSchema& call) {
  return static_cast<Reduction>(std::get<std::int64_t>(call.arg("reduction")));
}

// [N, C, d...] and of the target [N, d...]: calls fn with each cut of a dimension that both have.
void forEachCut(const OpSchema& call, int ndim,
                const std::function<void(const Placement& input, const Placement& target)>& fn) {
  for (int dim = 0; dim < ndim; ++dim) {
    const bool countsClasses = dim == (ndim > 1 ? 1 : 0);
    if (countsClasses) continue;
    const auto inputs = shardsOf(call, dim);
    const auto targets = shardsOf(call, dim > 1 ? dim - 1 : dim);
    for (std::size_t i = 0; i < inputs.size(); ++i) fn(inputs[i], targets[i]);
  }
}

// out[i] = -weight[target[i]] * input[i, target[i]]; total = sum_i weight[target[i]]. Of a mean the
// ranks agree on both sums while they run.
std::vector<Row> nllLoss(const OpSchema& call) {
  const bool weighted = call.inputs.size() == 3;
  std::vector<Row> rows;
  forEachCut(call, call.input(0).ndim(), [&](const auto& input, const auto& target) {
    Row row{"rows", {target, Replicate{}}, {input, target}};
    if (reductionOf(call) == kSum) row.outputs = {Partial{}, Partial{}};
    if (reductionOf(call) == kMean) row.outputs = {Replicate{}, Replicate{}};
    if (weighted) row.inputs.push_back(Replicate{});
    rows.push_back(std::move(row));
  });
  return rows;
}

std::vector<TensorMeta> nllLossOutputs(const OpSchema& call) {
  const auto& dtype = call.input(0).dtype;
  const auto shape = reductionOf(call) == kNone ? call.input(1).shape : Shape();
  return {{shape, contiguousStrides(shape), dtype}, {{}, {}, dtype}};
}

// dinput[i, target[i]] = -weight[target[i]] * dout[i], or * dout, of a mean / total
std::vector<Row> nllLossBackward(const OpSchema& call) {
  const bool weighted = call.inputs.size() == 5;
  std::vector<Row> rows;
  forEachCut(call, call.input(1).ndim(), [&](const auto& input, const auto& target) {
    const auto add = [&](const Placement& gradient, const Placement& total) {
      Row row{"rows", {input}, {gradient, input, target}};
      if (weighted) row.inputs.push_back(Replicate{});
      row.inputs.push_back(total);
      rows.push_back(std::move(row));
    };
    add(reductionOf(call) == kNone ? target : Placement(Replicate{}), Replicate{});
    // A sum does not look at the total.
    if (reductionOf(call) == kSum) add(Replicate{}, Partial{});
  });
  return rows;
}

std::vector<TensorMeta> nllLossBackwardOutputs(const OpSchema& call) {
  const auto& input = call.input(1);
  return {{input.shape, contiguousStrides(input.shape), input.dtype}};
}

}  // namespace

std::vector<NamedRule> lossRules() {
  const Rule forward{.rows = nllLoss, .emptyShards = Rule::EmptyShards::Kept};
  const Rule backward{.rows = nllLossBackward, .emptyShards = Rule::EmptyShards::Kept};
  Rule forward2d = forward, backward2d = backward;
  forward2d.outputs = nllLossOutputs;
  backward2d.outputs = nllLossBackwardOutputs;
  return {{"aten.nll_loss_forward", forward},
          {"aten.nll_loss_backward", backward},
          {"aten.nll_loss2d_forward", forward2d},
          {"aten.nll_loss2d_backward", backward2d}};
}

}  // namespace shardlens
