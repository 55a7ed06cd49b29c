#include "core/ops/rules/reduced_dims.h"
#include "core/ops/rules/rules.h"

namespace shardlens {
namespace {

// Each rank reduces its part to a partial value of the result.
std::vector<SingleDimStrategy> toPartials(const OpSchema& call, const Placement& partials) {
  return reductionRows(call, reducedDims(call), partials);
}

// Maps partial inputs to partial results.
void addThrough(std::vector<SingleDimStrategy>& strategies, const OpSchema& call,
                std::initializer_list<ReduceOp> ops) {
  for (const auto op : ops) {
    if (acceptsPartials(call, op)) strategies.push_back({"partial", {Partial{op}}, {Partial{op}}});
  }
}

// y[k] = sum over r of x[k, r]: independent of the order, and linear in x
std::vector<SingleDimStrategy> sum(const OpSchema& call) {
  auto strategies = toPartials(call, Partial{ReduceOp::Sum});
  // Not for bools, whose partials reduce by "or" and are counted afterwards.
  addThrough(strategies, call, {ReduceOp::Sum, ReduceOp::Avg});
  return strategies;
}

// y[k] = 1/n sum over r of x[k, r]: the average of the ranks' means, weighted by their number of
// elements
std::vector<SingleDimStrategy> mean(const OpSchema& call) {
  auto strategies = toPartials(call, Partial{ReduceOp::Avg});
  addThrough(strategies, call, {ReduceOp::Avg, ReduceOp::Sum});
  return strategies;
}

// Sums of another function of each element: |x|^p, x != 0, or x with NaN as 0.
std::vector<SingleDimStrategy> sumOfOther(const OpSchema& call) {
  return toPartials(call, Partial{ReduceOp::Sum});
}

// y[k] = op over r of x[k, r], for product, minimum and maximum, which do not depend on the order
template <ReduceOp kOp>
std::vector<SingleDimStrategy> fold(const OpSchema& call) {
  auto strategies = toPartials(call, Partial{kOp});
  addThrough(strategies, call, {kOp});
  return strategies;
}

// c10d does not support products of complex numbers.
std::vector<SingleDimStrategy> product(const OpSchema& call) {
  if (!isComplex(call.outputs.front().dtype)) return fold<ReduceOp::Product>(call);
  return reductionRows(call, reducedDims(call), std::nullopt);
}

// "any" is the maximum of bools, "all" the minimum.
template <ReduceOp kOp>
std::vector<SingleDimStrategy> truth(const OpSchema& call) {
  return call.input(0).dtype == DType::Bool ? fold<kOp>(call) : toPartials(call, Partial{kOp});
}

// Only for any.dims and all.dims an empty list means no dimension instead of all.
template <ReduceOp kOp>
std::vector<SingleDimStrategy> truthOfDims(const OpSchema& call) {
  const auto* dims = std::get_if<std::vector<std::int64_t>>(&call.arg("dim"));
  if (dims == nullptr || !dims->empty()) return truth<kOp>(call);
  return reductionRows(call, {}, std::nullopt);
}

// The minimum and the maximum at once.
std::vector<SingleDimStrategy> extremes(const OpSchema& call) {
  auto strategies = toPartials(call, Partial{ReduceOp::Min});
  for (auto& strategy : strategies) {
    if (isPartial(strategy.outputs[1])) strategy.outputs[1] = Partial{ReduceOp::Max};
  }
  return strategies;
}

// y = sum over i of x[i, i]. Each rank adds those in its part. Linear in x.
std::vector<SingleDimStrategy> trace(const OpSchema& call) {
  std::vector<SingleDimStrategy> strategies;
  if (call.input(0).ndim() != 2) return strategies;
  for (const int dim : {0, 1}) {
    for (const auto& shard : shardsOf(call, dim)) {
      strategies.push_back({"partial result", {Partial{}}, {shard}});
    }
  }
  addThrough(strategies, call, {ReduceOp::Sum, ReduceOp::Avg});
  return strategies;
}

// The reduced dimensions must not be sharded.
std::vector<SingleDimStrategy> wholeAlong(const OpSchema& call) {
  return reductionRows(call, reducedDims(call), std::nullopt);
}

std::vector<TensorMeta> oneOutput(const OpSchema& call) {
  return {reducedMeta(call, call.input(0).dtype)};
}

std::vector<TensorMeta> valuesAndIndices(const OpSchema& call) {
  return {reducedMeta(call, call.input(0).dtype), reducedMeta(call, DType::Int64)};
}

// Variances of complex numbers are real.
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

// Integers are summed and multiplied as int64.
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
