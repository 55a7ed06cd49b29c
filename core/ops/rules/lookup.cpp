// Searches of elements in a sequence that every rank has.

#include "core/ops/rules/rules.h"

#include <algorithm>
#include <optional>

namespace shardlens {
namespace {

bool isSet(const OpSchema& call, std::string_view name) {
  const auto* value = std::get_if<bool>(&call.arg(name));
  return value != nullptr && *value;
}

// y[i] = f(x[i], the other inputs), where x is input number `of` and the others are replicated
std::vector<SingleDimStrategy> eachOf(const OpSchema& call, std::size_t of) {
  std::vector<SingleDimStrategy> strategies;
  for (int dim = 0; dim < call.input(of).ndim(); ++dim) {
    for (const auto& shard : shardsOf(call, dim)) {
      SingleDimStrategy strategy{"sharded", {shard}, Placements(call.inputs.size(), Replicate{})};
      strategy.inputs[of] = shard;
      strategies.push_back(std::move(strategy));
    }
  }
  return strategies;
}

// The inputs are elements, test_elements.
std::vector<SingleDimStrategy> eachOfFirst(const OpSchema& call) { return eachOf(call, 0); }

// The inputs are sorted_sequence, self, sorter. There is one sequence for all, or one per row, and
// then the rows of all inputs are sharded alike.
std::vector<SingleDimStrategy> searched(const OpSchema& call) {
  const auto &sequence = call.input(0).shape, &sought = call.input(1).shape;
  auto strategies = eachOf(call, 1);
  if (sequence.size() == 1) return strategies;
  if (sequence.empty() || sequence.size() != sought.size() ||
      !std::equal(sequence.begin(), sequence.end() - 1, sought.begin())) {
    return {};
  }
  for (auto& strategy : strategies) {
    const auto shard = strategy.inputs[1];
    const bool shardsRows = *shardedDim(shard) < static_cast<int>(sequence.size()) - 1;
    if (shardsRows) std::fill(strategy.inputs.begin(), strategy.inputs.end(), shard);
  }
  return strategies;
}

TensorMeta places(const OpSchema& call, const Shape& shape) {
  return inOrder(shape, isSet(call, "out_int32") ? DType::Int32 : DType::Int64);
}

std::vector<TensorMeta> onePlace(const OpSchema& call) { return {places(call, {})}; }
std::vector<TensorMeta> placesOfFirst(const OpSchema& call) {
  return {places(call, call.input(0).shape)};
}
std::vector<TensorMeta> placesOfSecond(const OpSchema& call) {
  return {places(call, call.input(1).shape)};
}

std::optional<double> numberArg(const OpSchema& call, std::string_view name) {
  const auto& value = call.arg(name);
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  if (const auto* number = std::get_if<double>(&value)) return *number;
  return std::nullopt;
}

// y[k] = number of x in bin k. Without "min" and "max" the bins depend on all x, so nothing is
// sharded.
std::vector<SingleDimStrategy> histogram(const OpSchema& call) {
  const auto least = numberArg(call, "min"), most = numberArg(call, "max");
  std::vector<SingleDimStrategy> strategies;
  if (!least || !most || *least >= *most) return strategies;
  for (int dim = 0; dim < call.input(0).ndim(); ++dim) {
    for (const auto& shard : shardsOf(call, dim)) {
      strategies.push_back({"partial result", {Partial{}}, {shard}});
    }
  }
  return strategies;
}

std::vector<TensorMeta> histogramOutputs(const OpSchema& call) {
  return {{{std::get<std::int64_t>(call.arg("bins"))}, {1}, call.input(0).dtype}};
}

}  // namespace

std::vector<NamedRule> lookupRules() {
  constexpr auto kKept = Rule::EmptyShards::Kept;
  return {
      {"aten.bucketize.Scalar", {.singleDimStrategies = onlyWhole, .outputs = onePlace}},
      {"aten.bucketize.Tensor",
       {.singleDimStrategies = eachOfFirst, .emptyShards = kKept, .outputs = placesOfFirst}},
      {"aten.histc",
       {.singleDimStrategies = histogram, .emptyShards = kKept, .outputs = histogramOutputs}},
      {"aten.isin.Scalar_Tensor", {.singleDimStrategies = onlyWhole}},
      {"aten.isin.Tensor_Scalar", {.singleDimStrategies = eachOfFirst, .emptyShards = kKept}},
      {"aten.isin.Tensor_Tensor", {.singleDimStrategies = eachOfFirst, .emptyShards = kKept}},
      {"aten.searchsorted.Scalar", {.singleDimStrategies = onlyWhole, .outputs = onePlace}},
      {"aten.searchsorted.Tensor",
       {.singleDimStrategies = searched, .emptyShards = kKept, .outputs = placesOfSecond}},
  };
}

}  // namespace shardlens
