#include "core/ops/rules/reduced_dims.h"
#include "core/ops/rules/rules.h"

namespace shardlens {
namespace {

// Each rank reduces its part, and what it gets is a term of the result.
std::vector<SingleDimStrategy> toTerms(const OpSchema& call, const Placement& terms) {
  return reductionRows(call, reducedDims(call), terms);
}

// Terms of the input give terms of the result.
void addThrough(std::vector<SingleDimStrategy>& strategies, const OpSchema& call,
                std::initializer_list<ReduceOp> ops) {
  for (const auto op : ops) {
    if (takesTerms(call, op)) strategies.push_back({"partial", {Partial{op}}, {Partial{op}}});
  }
}

// y[k] = sum over r of x[k, r]: the same sum in whatever order, and linear in x.
std::vector<SingleDimStrategy> sum(const OpSchema& call) {
  auto strategies = toTerms(call, Partial{ReduceOp::Sum});
  // Not of truth values, which reduce by or, and are counted after.
  addThrough(strategies, call, {ReduceOp::Sum, ReduceOp::Avg});
  return strategies;
}

// y[k] = 1/n sum over r of x[k, r]: the average of the ranks' means, each weighed by how much it
// is the mean of.
std::vector<SingleDimStrategy> mean(const OpSchema& call) {
  auto strategies = toTerms(call, Partial{ReduceOp::Avg});
  addThrough(strategies, call, {ReduceOp::Avg, ReduceOp::Sum});
  return strategies;
}

// What is summed is another function of each element: |x|^p, x != 0, x or 0 where it is no number.
std::vector<SingleDimStrategy> sumOfOther(const OpSchema& call) {
  return toTerms(call, Partial{ReduceOp::Sum});
}

// y[k] = op over r of x[k, r], for the product, the least and the greatest: any order will do.
template <ReduceOp kOp>
std::vector<SingleDimStrategy> fold(const OpSchema& call) {
  auto strategies = toTerms(call, Partial{kOp});
  addThrough(strategies, call, {kOp});
  return strategies;
}

// c10d does not multiply complex numbers.
std::vector<SingleDimStrategy> product(const OpSchema& call) {
  if (!isComplex(call.outputs.front().dtype)) return fold<ReduceOp::Product>(call);
  return reductionRows(call, reducedDims(call), std::nullopt);
}

// Whether any is true is the greatest of truth values, whether all are the least.
template <ReduceOp kOp>
std::vector<SingleDimStrategy> truth(const OpSchema& call) {
  return call.input(0).dtype == DType::Bool ? fold<kOp>(call) : toTerms(call, Partial{kOp});
}

// Of these two alone an empty list names no dimension rather than all.
template <ReduceOp kOp>
std::vector<SingleDimStrategy> truthOfDims(const OpSchema& call) {
  const auto* dims = std::get_if<std::vector<std::int64_t>>(&call.arg("dim"));
  if (dims == nullptr || !dims->empty()) return truth<kOp>(call);
  return reductionRows(call, {}, std::nullopt);
}

// The least and the greatest at once.
std::vector<SingleDimStrategy> extremes(const OpSchema& call) {
  auto strategies = toTerms(call, Partial{ReduceOp::Min});
  for (auto& strategy : strategies) {
    if (isPartial(strategy.outputs[1])) strategy.outputs[1] = Partial{ReduceOp::Max};
  }
  return strategies;
}

// y = sum over i of x[i, i], of which a rank has those in its part: linear in x.
std::vector<SingleDimStrategy> trace(const OpSchema& call) {
  std::vector<SingleDimStrategy> strategies;
  if (call.input(0).ndim() != 2) return strategies;
  for (const int dim : {0, 1}) {
    for (const auto& shard : shardsOf(call, dim)) {
      strategies.push_back({"terms", {Partial{}}, {shard}});
    }
  }
  addThrough(strategies, call, {ReduceOp::Sum, ReduceOp::Avg});
  return strategies;
}

// Each rank has to see all that is reduced.
std::vector<SingleDimStrategy> wholeAlong(const OpSchema& call) {
  return reductionRows(call, reducedDims(call), std::nullopt);
}

std::vector<TensorMeta> oneOutput(const OpSchema& call) {
  return {reducedMeta(call, call.input(0).dtype)};
}

std::vector<TensorMeta> valuesAndIndices(const OpSchema& call) {
  return {reducedMeta(call, call.input(0).dtype), reducedMeta(call, DType::Int64)};
}

// Squares of distances are real.
std::vector<TensorMeta> spread(const OpSchema& call) {
  return {reducedMeta(call, realDType(call.input(0).dtype))};
}

std::vector<TensorMeta> spreadAndMean(const OpSchema& call) {
  return {spread(call).front(), reducedMeta(call, call.input(0).dtype)};
}

std::vector<TensorMeta> fractions(const OpSchema& call) {
  const DType own = call.input(0).dtype;
  return {reducedMeta(call, isWhole(own) ? DType::Float32 : own)};
}

std::vector<TensorMeta> count(const OpSchema& call) { return {reducedMeta(call, DType::Int64)}; }

// Whole numbers add up, and multiply, to long ones.
std::vector<TensorMeta> accumulated(const OpSchema& call) {
  const DType own = call.input(0).dtype;
  return {reducedMeta(call, namedDType(call).value_or(isWhole(own) ? DType::Int64 : own))};
}

Rule keeping(std::vector<SingleDimStrategy> (*strategies)(const OpSchema&),
             std::vector<TensorMeta> (*outputs)(const OpSchema&) = nullptr) {
  return {.singleDimStrategies = strategies,
          .emptyShards = Rule::EmptyShards::Kept,
          .outputs = outputs};
}

}  // namespace

std::vector<NamedRule> reductionRules() {
  return {{"aten.sum.*", keeping(sum)},
          {"aten.mean.*", keeping(mean)},
          {"aten.nansum", keeping(sumOfOther, accumulated)},
          {"aten.count_nonzero.*", keeping(sumOfOther, count)},
          {"aten.prod", keeping(product, accumulated)},
          {"aten.prod.dim_int", keeping(product)},
          {"aten.amax", keeping(fold<ReduceOp::Max>)},
          {"aten.amin", keeping(fold<ReduceOp::Min>)},
          {"aten.aminmax", keeping(extremes)},
          {"aten.trace", keeping(trace, accumulated)},
          {"aten.max", keeping(fold<ReduceOp::Max>, oneOutput)},
          {"aten.min", keeping(fold<ReduceOp::Min>, oneOutput)},
          {"aten._foreach_max.*", keeping(fold<ReduceOp::Max>, oneOutput)},
          {"aten.any.*", keeping(truth<ReduceOp::Max>)},
          {"aten.all.*", keeping(truth<ReduceOp::Min>)},
          {"aten.any.dims", keeping(truthOfDims<ReduceOp::Max>)},
          {"aten.all.dims", keeping(truthOfDims<ReduceOp::Min>)},
          {"aten.max.dim", keeping(wholeAlong)},
          {"aten.min.dim", keeping(wholeAlong)},
          {"aten.std.correction", keeping(wholeAlong, spread)},
          {"aten.var.correction", keeping(wholeAlong, spread)},
          {"aten.std_mean.correction", keeping(wholeAlong, spreadAndMean)},
          {"aten.var_mean.correction", keeping(wholeAlong, spreadAndMean)},
          {"aten.median", keeping(wholeAlong, oneOutput)},
          {"aten.nanmedian", keeping(wholeAlong, oneOutput)},
          {"aten.median.dim", keeping(wholeAlong, valuesAndIndices)},
          {"aten.nanmedian.dim", keeping(wholeAlong, valuesAndIndices)},
          {"aten.mode", keeping(wholeAlong, valuesAndIndices)},
          {"aten.kthvalue", keeping(wholeAlong, valuesAndIndices)},
          {"aten.logsumexp", keeping(wholeAlong, fractions)}};
}

}  // namespace shardlens
