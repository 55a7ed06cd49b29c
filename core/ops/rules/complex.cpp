#include "core/ops/rules/rules.h"

namespace shardlens {
namespace {

constexpr ReduceOp kComplexLinear[] = {ReduceOp::Sum, ReduceOp::Avg};

// An operation on each element, sharded on any of the first `dims` dimensions. It is linear over
// the real numbers, so partials stay partial.
std::vector<SingleDimStrategy> linearAlong(const OpSchema& call, int dims) {
  std::vector<SingleDimStrategy> strategies;
  for (int dim = 0; dim < dims; ++dim) {
    for (const auto& shard : shardsOf(call, dim))
      strategies.push_back({"sharded", {shard}, {shard}});
  }
  for (const auto op : kComplexLinear)
    strategies.push_back({"partial", {Partial{op}}, {Partial{op}}});
  return strategies;
}

// y[...] = x[...] with the sign of the imaginary part, or of both parts, changed; or
// y[..., 0] = re x[...] and y[..., 1] = im x[...]
std::vector<SingleDimStrategy> ofEach(const OpSchema& call) {
  return linearAlong(call, call.input(0).ndim());
}

// y[...] = x[..., 0] + x[..., 1] i
std::vector<SingleDimStrategy> ofPairs(const OpSchema& call) {
  return linearAlong(call, call.input(0).ndim() - 1);
}

// y[i] = a[i] + b[i] i
std::vector<SingleDimStrategy> ofParts(const OpSchema& call) {
  auto strategies = elementwiseRule().singleDimStrategies(call);
  for (const auto op : kComplexLinear) {
    strategies.push_back({"partial", {Partial{op}}, {Partial{op}, Partial{op}}});
  }
  return strategies;
}

}  // namespace

std::vector<NamedRule> complexRules() {
  constexpr auto kKept = Rule::EmptyShards::Kept;
  const Rule each{.singleDimStrategies = ofEach, .emptyShards = kKept};
  Rule conjugate = each;
  conjugate.outputs = likeFirst;
  return {
      {"aten._conj", conjugate},
      {"aten._conj_physical", conjugate},
      {"aten._neg_view", conjugate},
      {"aten.complex", {.singleDimStrategies = ofParts, .emptyShards = kKept, .elementwise = true}},
      {"aten.polar", elementwiseRule()},
      {"aten.view_as_complex", {.singleDimStrategies = ofPairs, .emptyShards = kKept}},
      {"aten.view_as_real", each}};
}

}  // namespace shardlens
