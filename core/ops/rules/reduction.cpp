#include "core/ops/rules/rules.h"

#include <algorithm>

namespace shardlens {
namespace {

std::vector<int> reducedDims(const OpSchema& call, std::vector<std::int64_t> named) {
  const int ndim = call.input(0).ndim();
  std::vector<int> dims;
  for (int dim = 0; dim < ndim; ++dim) {
    const bool reduced = named.empty() || std::count(named.begin(), named.end(), dim) > 0 ||
                         std::count(named.begin(), named.end(), dim - ndim) > 0;
    if (reduced) dims.push_back(dim);
  }
  return dims;
}

// A dimension that stays moves left by those that go; one that goes leaves a term on each rank.
std::vector<Row> linearReduction(const OpSchema& call, const std::vector<int>& reduced,
                                 bool keepDims) {
  std::vector<Row> rows;
  for (int dim = 0; dim < call.input(0).ndim(); ++dim) {
    const bool goes = std::count(reduced.begin(), reduced.end(), dim) > 0;
    const auto before =
        std::count_if(reduced.begin(), reduced.end(), [&](int r) { return r < dim; });
    const int outputDim = keepDims ? dim : dim - static_cast<int>(before);
    const auto outputs = goes ? std::vector<Placement>{} : shardsOf(call, outputDim);
    const auto inputs = shardsOf(call, dim);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      rows.push_back(
          {goes ? "terms" : "sharded", {goes ? Placement(Partial{}) : outputs[i]}, {inputs[i]}});
    }
  }
  // Terms of truth values reduce by or, and are counted after.
  if (call.input(0).dtype != DType::Bool) rows.push_back({"partial", {Partial{}}, {Partial{}}});
  return rows;
}

std::vector<Row> sumAll(const OpSchema& call) {
  return linearReduction(call, reducedDims(call, {}), /*keepDims=*/false);
}

std::vector<Row> sumDims(const OpSchema& call) {
  const auto* keep = std::get_if<bool>(&call.arg("keepdim"));
  return linearReduction(call, reducedDims(call, call.intList("dim")), keep != nullptr && *keep);
}

}  // namespace

std::vector<NamedRule> reductionRules() {
  return {{"aten.sum", {.rows = sumAll, .emptyShards = Rule::EmptyShards::Kept}},
          {"aten.sum.dim_IntList", {.rows = sumDims, .emptyShards = Rule::EmptyShards::Kept}}};
}

}  // namespace shardlens
