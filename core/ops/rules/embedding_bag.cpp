// Bags of ids: out[b] = sum, mean or maximum of weight[id] over the ids of bag b. Ids and offsets
// are replicated, because a bag may begin at any position of the ids.

#include "core/ops/rules/rules.h"

#include <algorithm>

namespace shardlens {
namespace {

enum Mode : std::int64_t { kSum = 0, kMean = 1, kMax = 2 };

std::int64_t intOf(const OpSchema& call, std::string_view arg) {
  return std::get<std::int64_t>(call.arg(arg));
}

std::size_t inputOf(const OpSchema& call, std::string_view arg) {
  return std::get<TensorIndex>(call.arg(arg)).index;
}

SingleDimStrategy wholeRow(const OpSchema& call, std::string name) {
  return {std::move(name), Placements(call.outputs.size(), Replicate{}),
          Placements(call.inputs.size(), Replicate{})};
}

// If rows are sharded, each rank adds its rows; a mean divides by the size of the whole bag. The
// maximum is not supported then, because a rank does not know which row has it.
std::vector<SingleDimStrategy> embeddingBag(const OpSchema& call) {
  const bool isMax = intOf(call, "mode") == kMax;
  auto columns = wholeRow(call, "column-wise");
  columns.inputs[0] = columns.outputs[0] = Shard{1};
  if (isMax) columns.outputs[3] = Shard{1};
  std::vector<SingleDimStrategy> strategies{columns};
  if (!isMax) {
    auto partial = wholeRow(call, "row-wise");
    partial.inputs[0] = Shard{0};
    partial.outputs[0] = Partial{};
    strategies.push_back(std::move(partial));
  }
  return strategies;
}

// The kernel for sums of contiguous rows leaves the output with the bag of each id empty.
bool leavesOutBags(const OpSchema& call) {
  const auto& weight = call.input(0);
  const bool narrow = weight.dtype == DType::Float32 || weight.dtype == DType::Float16 ||
                      weight.dtype == DType::BFloat16;
  return intOf(call, "mode") == kSum && intOf(call, "padding_idx") < 0 && narrow &&
         weight.strides.back() == 1;
}

std::vector<TensorMeta> embeddingBagOutputs(const OpSchema& call) {
  const auto& weight = call.input(0);
  const auto& ids = call.input(1);
  const auto& offsets = call.input(2);
  const auto mode = intOf(call, "mode");
  const bool endIncluded = std::get<bool>(call.arg("include_last_offset"));
  const bool forwardOnly = call.name == "aten._embedding_bag_forward_only";
  const auto bags = offsets.shape.front() - (endIncluded ? 1 : 0);
  const bool wide = ids.dtype == DType::Int64 || offsets.dtype == DType::Int64;
  const DType index = wide ? DType::Int64 : DType::Int32;
  const auto sizes = inOrder({forwardOnly && mode == kSum ? offsets.shape.front() : bags}, index);
  return {inOrder({bags, weight.shape.back()}, weight.dtype),
          inOrder({leavesOutBags(call) ? 0 : ids.shape.front()}, index), sizes,
          mode == kMax ? inOrder({bags, weight.shape.back()}, index) : sizes};
}

// dweight[id] += dout[b], weighted, for each id of bag b
std::vector<SingleDimStrategy> embeddingBagBackward(const OpSchema& call) {
  auto columns = wholeRow(call, "column-wise");
  columns.inputs[0] = columns.outputs[0] = Shard{1};
  if (intOf(call, "mode") == kMax) columns.inputs[inputOf(call, "maximum_indices")] = Shard{1};
  auto partial = wholeRow(call, "partial");
  partial.inputs[0] = partial.outputs[0] = Partial{};
  return {columns, partial};
}

std::vector<TensorMeta> embeddingBagBackwardOutputs(const OpSchema& call) {
  const auto& gradient = call.input(0);
  return {inOrder({intOf(call, "num_weights"), gradient.shape.back()}, gradient.dtype)};
}

// dweights[i] = weight[ids[i]] . dout[bag of i]
std::vector<SingleDimStrategy> sampleWeightsBackward(const OpSchema& call) {
  auto columns = wholeRow(call, "column-wise");
  columns.inputs[0] = columns.inputs.at(1) = Shard{1};
  columns.outputs[0] = Partial{};
  auto partial = wholeRow(call, "partial");
  partial.inputs[0] = partial.outputs[0] = Partial{};
  return {columns, partial};
}

std::vector<TensorMeta> sampleWeightsBackwardOutputs(const OpSchema& call) {
  return {inOrder(call.input(2).shape, call.input(0).dtype)};
}

}  // namespace

std::vector<NamedRule> embeddingBagRules() {
  constexpr auto kNever = Rule::EmptyShards::Never;
  const Rule forward{
      .singleDimStrategies = embeddingBag, .emptyShards = kNever, .outputs = embeddingBagOutputs};
  const Rule backward{.singleDimStrategies = embeddingBagBackward,
                      .emptyShards = kNever,
                      .outputs = embeddingBagBackwardOutputs};
  return {{"aten._embedding_bag", forward},
          {"aten._embedding_bag_forward_only", forward},
          {"aten._embedding_bag_backward", backward},
          {"aten._embedding_bag_dense_backward", backward},
          {"aten._embedding_bag_per_sample_weights_backward",
           {.singleDimStrategies = sampleWeightsBackward,
            .emptyShards = kNever,
            .outputs = sampleWeightsBackwardOutputs}}};
}

}  // namespace shardlens
