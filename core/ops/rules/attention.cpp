#include "core/ops/rules/rules.h"

#include <algorithm>

namespace shardlens {
namespace {

constexpr int kBatch = 0, kHeads = 1, kSequence = 2;  // of queries, keys and values

bool isCut(const Spec& tensor, int dim) {
  return std::any_of(tensor.placements.begin(), tensor.placements.end(),
                     [&](const Placement& p) { return p == Placement(Shard{dim}); });
}

// Whether some ranks hold different keys for the same queries.
bool keysAreApart(const Spec& query, const Spec& key) {
  for (std::size_t dim = 0; dim < key.placements.size(); ++dim) {
    const Placement sequence = Shard{kSequence};
    if (key.placements[dim] == sequence && query.placements[dim] != sequence) return true;
  }
  return false;
}

// Where tensors lie over one mesh dimension: those that have a row a query, as the results have,
// those that have one a key, and the gradients of either.
struct AttentionWay {
  const char* name;
  Placement ofQueries, ofKeys;
  Placement queryGradient, keyGradient;
  int maskDim;  // of [batch, heads, queries, keys]
};

// Forward and backward alike, of what the query and the key are among the inputs.
class Attention {
 public:
  Attention(const OpSchema& call, std::size_t query)
      : call_(call), query_(call.inputs[query]), key_(call.inputs[query + 1]) {
    const auto& q = query_.meta.shape;
    scores_ = {q[0], q[1], q[2], key_.meta.shape[kSequence]};
  }

  // Sequences of the batch attend apart, and so do heads, each with keys of its own or in groups
  // that share them, and so do queries:
  // y[b, h, q] = sum over k of softmax(x[b, h, q] . keys[b, h] + mask[b, h, q])[k] values[b, h, k]
  //
  // Of keys that are apart each rank has a softmax, and the sum of its exponentials, s[r]. What
  // they add up to is agreed on: y = sum over r of y[r] s[r] / s
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
  // Whether each rank has whole groups of the heads that share keys, where some do.
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
    const auto& y = way.queryGradient;  // terms of keys that are apart
    strategies.push_back({way.name, {y, way.ofQueries}, {way.ofQueries, way.ofKeys, way.ofKeys}});
    attention.addMask(way, strategies.back());
  }
  return strategies;
}

// dy, query, key, value, y, s -> their gradients. With the sum of all exponentials each rank's part
// of them is what it would be of all keys.
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

// libtorch's kernel keeps the heads of a position together.
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
