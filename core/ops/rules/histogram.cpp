// Counts of the elements in each bin of a range.

#include "core/ops/rules/rules.h"

namespace shardlens {
namespace {

bool isGiven(const OpSchema& call, std::string_view name) {
  const auto* value = call.findArg(name);
  return value != nullptr && !std::holds_alternative<std::monostate>(*value);
}

// y[k] = sum of the weights of the x in bin k. Each rank counts its part. Not possible if the bins
// depend on the range of all x, or if the counts are divided by the sum of all weights.
std::vector<SingleDimStrategy> counted(const OpSchema& call) {
  const auto* bins = std::get_if<TensorIndex>(&call.arg("bins"));
  if (std::get<bool>(call.arg("density")) || (bins == nullptr && !isGiven(call, "range")))
    return {};
  std::vector<SingleDimStrategy> strategies;
  for (int dim = 0; dim < call.input(0).ndim(); ++dim) {
    for (const auto& shard : shardsOf(call, dim)) {
      SingleDimStrategy strategy{
          "partial result", {Partial{}, Replicate{}}, Placements(call.inputs.size(), shard)};
      if (bins != nullptr) strategy.inputs[bins->index] = Replicate{};
      strategies.push_back(std::move(strategy));
    }
  }
  return strategies;
}

std::vector<TensorMeta> countsAndEdges(const OpSchema& call) {
  const DType dtype = call.input(0).dtype;
  const auto* bins = std::get_if<TensorIndex>(&call.arg("bins"));
  const std::int64_t edges = bins != nullptr ? elementCount(call.input(bins->index).shape)
                                             : std::get<std::int64_t>(call.arg("bins")) + 1;
  return {inOrder({std::max<std::int64_t>(edges - 1, 0)}, dtype), inOrder({edges}, dtype)};
}

std::vector<TensorMeta> edgesOfEach(const OpSchema& call) {
  std::vector<TensorMeta> edges;
  for (const auto count : call.intList("bins")) {
    edges.push_back(inOrder({count + 1}, call.input(0).dtype));
  }
  return edges;
}

std::vector<TensorMeta> countsOfNumbers(const OpSchema& call) {
  return {inOrder(call.intList("bins"), call.input(0).dtype)};
}

std::vector<TensorMeta> countsOfTensors(const OpSchema& call) {
  Shape shape;
  for (const auto& bins : std::get<std::vector<TensorIndex>>(call.arg("bins"))) {
    shape.push_back(std::max<std::int64_t>(elementCount(call.input(bins.index).shape) - 1, 0));
  }
  return {inOrder(shape, call.input(0).dtype)};
}

}  // namespace

std::vector<NamedRule> histogramRules() {
  const auto whole = [](auto outputs) {
    return Rule{.singleDimStrategies = onlyWhole, .outputs = outputs};
  };
  const Rule counting{.singleDimStrategies = counted,
                      .emptyShards = Rule::EmptyShards::Kept,
                      .outputs = countsAndEdges};
  return {{"aten._histogramdd_bin_edges", whole(edgesOfEach)},
          {"aten._histogramdd_from_bin_cts", whole(countsOfNumbers)},
          {"aten._histogramdd_from_bin_tensors", whole(countsOfTensors)},
          {"aten.histogram.bin_ct", counting},
          {"aten.histogram.bins_tensor", counting}};
}

}  // namespace shardlens
