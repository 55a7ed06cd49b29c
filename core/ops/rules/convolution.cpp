#include "core/ops/rules/rules.h"

namespace shardlens {
namespace {

// y[n, o, p] = bias[o] + sum over c and k of x[n, c, p s + k d] w[o, c, k]
//
// p and k are places in space, where all is whole. The weight of a transposed one is w[c, o, k].
// Groups of channels are convolved apart: each group of the input's makes one of the output's.
struct Convolution {
  explicit Convolution(const OpSchema& call)
      : groups(std::get<std::int64_t>(call.arg("groups"))),
        transposed(std::get<bool>(call.arg("transposed"))) {}

  int outputDim() const { return transposed ? 1 : 0; }  // of the weight
  int inputDim() const { return transposed ? 0 : 1; }

  std::int64_t groups;
  bool transposed;
};

bool isEven(std::int64_t groups, const DeviceMesh& mesh) { return groups % mesh.size() == 0; }

std::int64_t at(const std::vector<std::int64_t>& each, std::size_t dim) {
  return each.size() == 1 ? each[0] : each[dim];  // one for all dimensions
}

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
  for (const auto op : {ReduceOp::Sum, ReduceOp::Avg}) {
    const Partial terms{op};
    add("partial", terms, terms, Replicate{}, terms);
    add("partial", terms, Replicate{}, terms, terms);
  }
  return strategies;
}

std::vector<TensorMeta> convolutionOutputs(const OpSchema& call) {
  const Convolution conv(call);
  const Shape &x = call.input(0).shape, &w = call.input(1).shape;
  const auto stride = call.intList("stride"), padding = call.intList("padding"),
             dilation = call.intList("dilation"), more = call.intList("output_padding");
  Shape shape{x[0], conv.transposed ? w[1] * conv.groups : w[0]};
  for (std::size_t dim = 0; dim + 2 < x.size(); ++dim) {
    const auto reach = at(dilation, dim) * (w[dim + 2] - 1);
    const auto size = x[dim + 2], step = at(stride, dim), pad = 2 * at(padding, dim);
    shape.push_back(conv.transposed ? (size - 1) * step - pad + reach + at(more, dim) + 1
                                    : (size + pad - reach - 1) / step + 1);
  }
  return {inOrder(shape, call.input(0).dtype)};
}

// dx[n, c] sums over o, dw[o, c] and dbias[o] over n.
std::vector<SingleDimStrategy> convolutionBackward(const OpSchema& call) {
  const Convolution conv(call);
  std::vector<SingleDimStrategy> strategies;
  const auto add = [&](const char* name, const Placements& gradients, Placements inputs) {
    strategies.push_back({name, wantedOf(call, gradients), std::move(inputs)});
  };
  // dy, x, w
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
  for (const auto op : {ReduceOp::Sum, ReduceOp::Avg}) {
    strategies.push_back(termsOfFirst(call, op));
  }
  return strategies;
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
            .outputs = convolutionOutputs}},
          {"aten.convolution_backward",
           {.singleDimStrategies = convolutionBackward,
            .emptyShards = kSkipped,
            .outputs = convolutionBackwardOutputs}}};
}

}  // namespace shardlens
