#include "core/ops/rules/rules.h"

#include <algorithm>

namespace shardlens {
namespace {

bool isEven(std::int64_t groups, const DeviceMesh& mesh) { return groups % mesh.size() == 0; }

std::int64_t at(const std::vector<std::int64_t>& each, std::size_t dim) {
  return each.size() == 1 ? each[0] : each[dim];  // one value for all dimensions
}

// y[n, o, p] = bias[o] + sum over c and k of x[n, c, p s + k d] w[o, c, k]
//
// p and k are places in space. A rank with a part of the places receives from its neighbours the
// places of x that its windows cover; see Halo. For a transposed convolution the weight is
// w[c, o, k] and the windows cover y: a rank sends what it adds to its neighbours' places of y.
// Channels may be in groups: each group of input channels makes one of output channels.
struct Convolution {
  explicit Convolution(const OpSchema& call)
      : groups(std::get<std::int64_t>(call.arg("groups"))),
        transposed(std::get<bool>(call.arg("transposed"))),
        stride(call.intList("stride")),
        padding(call.intList("padding")),
        dilation(call.intList("dilation")) {}

  int outputDim() const { return transposed ? 1 : 0; }  // of the weight
  int inputDim() const { return transposed ? 0 : 1; }

  // Returns the distance from the first to the last place of a window.
  std::int64_t reach(const Shape& weight, std::size_t dim) const {
    return at(dilation, dim) * (weight[dim + 2] - 1);
  }

  std::optional<Rule::Halos> halos(const Spec& x, const Spec& y, const Shape& weight,
                                   std::int64_t exchanges) const {
    std::vector<Windows> windows;
    for (std::size_t dim = 0; dim + 2 < weight.size(); ++dim) {
      windows.push_back({at(stride, dim), at(padding, dim), reach(weight, dim) + 1});
    }
    auto each = transposed ? halosOf(y, x.meta.shape, windows) : halosOf(x, y.meta.shape, windows);
    if (!each) return std::nullopt;
    return Rule::Halos{std::move(*each), static_cast<int>(exchanges)};
  }

  std::int64_t groups;
  bool transposed;
  std::vector<std::int64_t> stride, padding, dilation;
};

std::vector<SingleDimStrategy> convolution(const OpSchema& call) {
  const Convolution conv(call);
  const bool biased = call.inputs.size() == 3;
  std::vector<SingleDimStrategy> strategies;
  const auto add = [&](const char* name, Placement y, Placement x, Placement w, Placement bias) {
    strategies.push_back({name, {std::move(y)}, {std::move(x), std::move(w)}});
    if (biased) strategies.back().inputs.push_back(std::move(bias));
  };
  for (const auto& rows : shardsOf(call, 0)) {
    const auto columns = alongDim(rows, 1);
    add("batch", rows, rows, Replicate{}, Replicate{});
    if (conv.groups > 1) continue;
    add("output channels", columns, Replicate{}, alongDim(rows, conv.outputDim()), rows);
    add("input channels", Partial{}, columns, alongDim(rows, conv.inputDim()), Partial{});
  }
  if (conv.groups > 1 && isEven(conv.groups, *call.mesh)) {
    add("groups", Shard{1}, Shard{1}, Shard{0}, Shard{0});
  }
  for (int dim = 2; dim < call.input(0).ndim(); ++dim) {
    add("places with a halo", Shard{dim}, Shard{dim}, Replicate{}, Replicate{});
  }
  for (const auto op : {ReduceOp::Sum, ReduceOp::Avg}) {
    const Partial partial{op};
    add("partial", partial, partial, Replicate{}, partial);
    add("partial", partial, Replicate{}, partial, partial);
  }
  return strategies;
}

std::optional<Rule::Halos> forwardHalos(const OpSchema& call, const OpStrategy& strategy) {
  const Spec x{call.mesh, strategy.inputs[0], call.input(0)};
  const Spec y{call.mesh, strategy.outputs[0], call.outputs[0]};
  return Convolution(call).halos(x, y, call.input(1).shape, 1);
}

std::vector<TensorMeta> convolutionOutputs(const OpSchema& call) {
  const Convolution conv(call);
  const Shape &x = call.input(0).shape, &w = call.input(1).shape;
  const auto more = call.intList("output_padding");
  Shape shape{x[0], conv.transposed ? w[1] * conv.groups : w[0]};
  for (std::size_t dim = 0; dim + 2 < x.size(); ++dim) {
    const auto reach = conv.reach(w, dim);
    const auto size = x[dim + 2], step = at(conv.stride, dim), pad = 2 * at(conv.padding, dim);
    shape.push_back(conv.transposed ? (size - 1) * step - pad + reach + at(more, dim) + 1
                                    : (size + pad - reach - 1) / step + 1);
  }
  return {inOrder(shape, call.input(0).dtype)};
}

// dx[n, c] sums over o; dw[o, c] and dbias[o] sum over n.
std::vector<SingleDimStrategy> convolutionBackward(const OpSchema& call) {
  const Convolution conv(call);
  std::vector<SingleDimStrategy> strategies;
  const auto add = [&](const char* name, const Placements& gradients, Placements inputs) {
    strategies.push_back({name, requestedGradients(call, gradients), std::move(inputs)});
  };
  // The inputs are dy, x, w.
  for (const auto& rows : shardsOf(call, 0)) {
    const auto columns = alongDim(rows, 1);
    add("batch", {rows, Partial{}, Partial{}}, {rows, rows, Replicate{}});
    if (conv.groups > 1) continue;
    const auto outputs = alongDim(rows, conv.outputDim()), inputs = alongDim(rows, conv.inputDim());
    add("output channels", {Partial{}, outputs, rows}, {columns, Replicate{}, outputs});
    add("input channels", {columns, inputs, Replicate{}}, {Replicate{}, columns, inputs});
  }
  if (conv.groups > 1 && isEven(conv.groups, *call.mesh)) {
    add("groups", {Shard{1}, Shard{0}, Shard{0}}, {Shard{1}, Shard{1}, Shard{0}});
  }
  for (int dim = 2; dim < call.input(1).ndim(); ++dim) {
    add("places with a halo", {Shard{dim}, Partial{}, Partial{}},
        {Shard{dim}, Shard{dim}, Replicate{}});
  }
  for (const auto op : {ReduceOp::Sum, ReduceOp::Avg}) {
    strategies.push_back(partialsOfFirst(call, op));
  }
  return strategies;
}

// With windows over y, the halo of dy is exchanged once. With windows over x, the halo of x is
// exchanged for dw, and dx is sent to the neighbours that own its places.
std::optional<Rule::Halos> backwardHalos(const OpSchema& call, const OpStrategy& strategy) {
  const Convolution conv(call);
  const Spec dy{call.mesh, strategy.inputs[0], call.input(0)};
  const Spec x{call.mesh, strategy.inputs[1], call.input(1)};
  const auto requested = call.intList("output_mask");
  const auto exchanges =
      conv.transposed ? std::max(requested[0], requested[1]) : requested[0] + requested[1];
  return conv.halos(x, dy, call.input(2).shape, exchanges);
}

std::vector<TensorMeta> convolutionBackwardOutputs(const OpSchema& call) {
  const DType dtype = call.input(0).dtype;
  return {inOrder(call.input(1).shape, dtype), inOrder(call.input(2).shape, dtype),
          inOrder({call.input(0).shape[1]}, dtype)};
}

}  // namespace

std::vector<NamedRule> convolutionRules() {
  constexpr auto kSkipped = Rule::EmptyShards::Skipped;
  return {{"aten.convolution",
           {.singleDimStrategies = convolution,
            .emptyShards = kSkipped,
            .halos = forwardHalos,
            .outputs = convolutionOutputs}},
          {"aten.convolution_backward",
           {.singleDimStrategies = convolutionBackward,
            .emptyShards = kSkipped,
            .halos = backwardHalos,
            .outputs = convolutionBackwardOutputs}}};
}

}  // namespace shardlens
