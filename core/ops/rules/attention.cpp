#include "core/ops/rules/rules.h"

#include <algorithm>

namespace shardlens {
namespace {

constexpr int kBatch = 0, kHeads = 1, kSequence = 2;  // dimensions of queries, keys and values

bool isSharded(const Spec& tensor, int dim) {
  return std::any_of(tensor.placements.begin(), tensor.placements.end(),
                     [&](const Placement& p) { return p == Placement(Shard{dim}); });
}

// Returns true if some ranks have different keys for the same queries.
bool keysAreApart(const Spec& query, const Spec& key) {
  for (std::size_t dim = 0; dim < key.placements.size(); ++dim) {
    const Placement sequence = Shard{kSequence};
    if (key.placements[dim] == sequence && query.placements[dim] != sequence) return true;
  }
  return false;
}

// Placements on one mesh dimension: of tensors with a row per query, as the results have, of those
// with a row per key, and of the gradients of both.
struct AttentionSharding {
  const char* name;
  Placement ofQueries, ofKeys;
  Placement queryGradient, keyGradient;
  int maskDim;  // sharded dimension of [batch, heads, queries, keys]
};

// The strategies of forward and backward. Input number `query` is the query, the next one the key.
class Attention {
 public:
  Attention(const OpSchema& call, std::size_t query) : call_(call), query_(query) {
    const auto &q = call.input(query).shape, &k = call.input(query + 1).shape;
    scores_ = {q[0], q[1], q[2], k[kSequence]};
  }

  // Members of the batch attend separately, and so do heads (each with separate keys, or in groups
  // that share keys), and so do queries:
  // y[b, h, q] = sum over k of softmax(x[b, h, q] . keys[b, h] + mask[b, h, q])[k] values[b, h, k]
  //
  // If keys are sharded, each rank has the softmax of its keys and the sum of its exponentials,
  // s[r]. The kernel combines them over the ranks: y = sum over r of y[r] s[r] / s
  std::vector<AttentionSharding> shardings() const {
    std::vector<AttentionSharding> found;
    const auto apart = [&](const char* name, int dim) {
      const Placement shard = Shard{dim};
      found.push_back({name, shard, shard, shard, shard, dim});
    };
    if (shardsWholeGroups(call_, query_)) apart("heads", kHeads);
    apart("batch", kBatch);
    const Placement whole = Replicate{}, shard = Shard{kSequence}, partial = Partial{};
    const Spec &query = call_.inputs[query_], &key = call_.inputs[query_ + 1];
    if (isSharded(query, kSequence)) found.push_back({"queries", shard, whole, shard, partial, 2});
    if (keysAreApart(query, key)) found.push_back({"keys", whole, shard, partial, shard, 3});
    return found;
  }

  void addMask(const AttentionSharding& sharding, SingleDimStrategy& strategy) const {
    const auto mask = givenInput(call_, "attn_mask");
    if (!mask) return;
    const Placement shard = Shard{sharding.maskDim};
    strategy.inputs.push_back(
        alongside(call_.input(*mask).shape, scores_, sharding.maskDim, shard));
  }

 private:
  const OpSchema& call_;
  std::size_t query_;
  Shape scores_;
};

// query, key, value -> y, s
std::vector<SingleDimStrategy> attention(const OpSchema& call) {
  const Attention attention(call, 0);
  std::vector<SingleDimStrategy> strategies;
  for (const auto& sharding : attention.shardings()) {
    const auto& y = sharding.queryGradient;  // partial for sharded keys
    strategies.push_back({sharding.name,
                          {y, sharding.ofQueries},
                          {sharding.ofQueries, sharding.ofKeys, sharding.ofKeys}});
    attention.addMask(sharding, strategies.back());
  }
  return strategies;
}

// dy, query, key, value, y, s -> their gradients. Because s is the sum over all ranks, each rank's
// part is correct without further exchange.
std::vector<SingleDimStrategy> attentionBackward(const OpSchema& call) {
  const Attention attention(call, 1);
  std::vector<SingleDimStrategy> strategies;
  for (const auto& sharding : attention.shardings()) {
    const auto &queries = sharding.ofQueries, &keys = sharding.ofKeys;
    strategies.push_back({sharding.name,
                          {sharding.queryGradient, sharding.keyGradient, sharding.keyGradient},
                          {queries, queries, keys, keys, queries, queries}});
    attention.addMask(sharding, strategies.back());
  }
  return strategies;
}

TensorMeta headsTogetherMeta(Shape shape, DType dtype) {
  auto strides = headsTogether(shape);
  return {std::move(shape), std::move(strides), dtype};
}

std::vector<TensorMeta> attentionOutputs(const OpSchema& call) {
  const auto& query = call.input(0);
  const auto& shape = query.shape;
  const DType sums = query.dtype == DType::Float64 ? DType::Float64 : DType::Float32;
  return {headsTogetherMeta(shape, query.dtype),
          headsTogetherMeta({shape[0], shape[1], shape[2]}, sums)};
}

std::vector<TensorMeta> attentionBackwardOutputs(const OpSchema& call) {
  std::vector<TensorMeta> gradients;
  for (const std::size_t input : {1, 2, 3}) {
    gradients.push_back(headsTogetherMeta(call.input(input).shape, call.input(input).dtype));
  }
  return gradients;
}

}  // namespace

bool shardsWholeGroups(const OpSchema& call, std::size_t query) {
  const auto heads = call.input(query).shape[kHeads], shared = call.input(query + 1).shape[kHeads];
  return heads == shared || std::min(heads, shared) % call.mesh->size() == 0;
}

Shape headsTogether(const Shape& shape) {
  const auto heads = shape[1], length = shape[2];
  const auto width = shape.size() == 4 ? shape[3] : 1;
  Shape strides{heads * length * width, width, heads * width};
  if (shape.size() == 4) strides.push_back(1);
  return strides;
}

std::vector<NamedRule> attentionRules() {
  constexpr auto kNever = Rule::EmptyShards::Never;
  return {{"aten._scaled_dot_product_flash_attention_for_cpu",
           {.singleDimStrategies = attention, .emptyShards = kNever, .outputs = attentionOutputs}},
          {"aten._scaled_dot_product_flash_attention_for_cpu_backward",
           {.singleDimStrategies = attentionBackward,
            .emptyShards = kNever,
            .outputs = attentionBackwardOutputs}}};
}

}  // namespace shardlens
