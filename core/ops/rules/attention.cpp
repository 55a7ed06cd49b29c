#include "core/ops/rules/rules.h"

#include <algorithm>

namespace shardlens {
namespace {

constexpr int kBatch = 0, kHeads = 1, kSequence = 2;  // dimensions of queries, keys and values

bool isCut(const Spec& tensor, int dim) {
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
struct AttentionWay {
  const char* name;
  Placement ofQueries, ofKeys;
  Placement queryGradient, keyGradient;
  int maskDim;  // sharded dimension of [batch, heads, queries, keys]
};

// The strategies of forward and backward. Input number `query` is the query, the next one the key.
class Attention {
 public:
  Attention(const OpSchema& call, std::size_t query)
      : call_(call), query_(call.inputs[query]), key_(call.inputs[query + 1]) {
    const auto& q = query_.meta.shape;
    scores_ = {q[0], q[1], q[2], key_.meta.shape[kSequence]};
  }

  // Members of the batch attend separately, and so do heads (each with separate keys, or in groups
  // that share keys), and so do queries:
  // y[b, h, q] = sum over k of softmax(x[b, h, q] . keys[b, h] + mask[b, h, q])[k] values[b, h, k]
  //
  // If keys are sharded, each rank has the softmax of its keys and the sum of its exponentials,
  // s[r]. The kernel combines them over the ranks: y = sum over r of y[r] s[r] / s
  std::vector<AttentionWay> ways() const {
    std::vector<AttentionWay> found;
    const auto apart = [&](const char* name, int dim) {
      const Placement cut = Shard{dim};
      found.push_back({name, cut, cut, cut, cut, dim});
    };
    if (cutsBetweenGroups()) apart("heads", kHeads);
    apart("batch", kBatch);
    const Placement whole = Replicate{}, cut = Shard{kSequence}, terms = Partial{};
    if (isCut(query_, kSequence)) found.push_back({"queries", cut, whole, cut, terms, 2});
    if (keysAreApart(query_, key_)) found.push_back({"keys", whole, cut, terms, cut, 3});
    return found;
  }

  void addMask(const AttentionWay& way, SingleDimStrategy& strategy) const {
    const auto mask = givenInput(call_, "attn_mask");
    if (!mask) return;
    const Placement cut = Shard{way.maskDim};
    strategy.inputs.push_back(alongside(call_.input(*mask).shape, scores_, way.maskDim, cut));
  }

 private:
  // Returns true if each rank gets whole groups of the heads that share keys.
  bool cutsBetweenGroups() const {
    const auto heads = query_.meta.shape[kHeads], shared = key_.meta.shape[kHeads];
    return heads == shared || std::min(heads, shared) % call_.mesh->size() == 0;
  }

  const OpSchema& call_;
  const Spec &query_, &key_;
  Shape scores_;
};

// query, key, value -> y, s
std::vector<SingleDimStrategy> attention(const OpSchema& call) {
  const Attention attention(call, 0);
  std::vector<SingleDimStrategy> strategies;
  for (const auto& way : attention.ways()) {
    const auto& y = way.queryGradient;  // partial for sharded keys
    strategies.push_back({way.name, {y, way.ofQueries}, {way.ofQueries, way.ofKeys, way.ofKeys}});
    attention.addMask(way, strategies.back());
  }
  return strategies;
}

// dy, query, key, value, y, s -> their gradients. Because s is the sum over all ranks, each rank's
// part is correct without further exchange.
std::vector<SingleDimStrategy> attentionBackward(const OpSchema& call) {
  const Attention attention(call, 1);
  std::vector<SingleDimStrategy> strategies;
  for (const auto& way : attention.ways()) {
    const auto &queries = way.ofQueries, &keys = way.ofKeys;
    strategies.push_back({way.name,
                          {way.queryGradient, way.keyGradient, way.keyGradient},
                          {queries, queries, keys, keys, queries, queries}});
    attention.addMask(way, strategies.back());
  }
  return strategies;
}

// libtorch's kernel stores the heads of a position next to each other.
Shape headsTogether(const Shape& shape) {
  const auto heads = shape[1], length = shape[2];
  const auto width = shape.size() == 4 ? shape[3] : 1;
  Shape strides{heads * length * width, width, heads * width};
  if (shape.size() == 4) strides.push_back(1);
  return strides;
}

TensorMeta laidOut(Shape shape, DType dtype) {
  auto strides = headsTogether(shape);
  return {std::move(shape), std::move(strides), dtype};
}

std::vector<TensorMeta> attentionOutputs(const OpSchema& call) {
  const auto& query = call.input(0);
  const auto& shape = query.shape;
  const DType sums = query.dtype == DType::Float64 ? DType::Float64 : DType::Float32;
  return {laidOut(shape, query.dtype), laidOut({shape[0], shape[1], shape[2]}, sums)};
}

std::vector<TensorMeta> attentionBackwardOutputs(const OpSchema& call) {
  std::vector<TensorMeta> gradients;
  for (const std::size_t input : {1, 2, 3}) {
    gradients.push_back(laidOut(call.input(input).shape, call.input(input).dtype));
  }
  return gradients;
}

}  // namespace

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
