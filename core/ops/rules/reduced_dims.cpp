#include "core/ops/rules/reduced_dims.h"

#include "core/ops/rules/rules.h"

#include <algorithm>

namespace shardlens {
namespace {

// Returns the argument "dim": one dimension, a list, or none.
std::vector<std::int64_t> namedDims(const OpSchema& call) {
  const auto* arg = call.findArg("dim");
  if (arg == nullptr) return {};
  if (const auto* one = std::get_if<std::int64_t>(arg)) return {*one};
  return call.intList("dim");
}

}  // namespace

bool ReducedDims::has(int dim) const { return std::binary_search(dims.begin(), dims.end(), dim); }

int ReducedDims::after(int dim) const {
  const auto before = std::lower_bound(dims.begin(), dims.end(), dim) - dims.begin();
  return kept ? dim : dim - static_cast<int>(before);
}

Shape ReducedDims::shapeAfter(const Shape& shape) const {
  Shape result;
  for (std::size_t dim = 0; dim < shape.size(); ++dim) {
    const bool goes = has(static_cast<int>(dim));
    if (!goes || kept) result.push_back(goes ? 1 : shape[dim]);
  }
  return result;
}

ReducedDims reducedDims(const OpSchema& call, int ndim) {
  const auto named = namedDims(call);
  ReducedDims reduced;
  for (int dim = 0; dim < ndim; ++dim) {
    const bool goes = named.empty() || std::count(named.begin(), named.end(), dim) > 0 ||
                      std::count(named.begin(), named.end(), dim - ndim) > 0;
    if (goes) reduced.dims.push_back(dim);
  }
  const auto* keep = call.findArg("keepdim");
  const auto* kept = keep != nullptr ? std::get_if<bool>(keep) : nullptr;
  reduced.kept = kept != nullptr && *kept;
  return reduced;
}

ReducedDims reducedDims(const OpSchema& call) { return reducedDims(call, call.input(0).ndim()); }

TensorMeta reducedMeta(const OpSchema& call, DType dtype) {
  return inOrder(reducedDims(call).shapeAfter(call.input(0).shape), dtype);
}

std::optional<DType> namedDType(const OpSchema& call) {
  const auto* arg = call.findArg("dtype");
  const auto* dtype = arg != nullptr ? std::get_if<DType>(arg) : nullptr;
  return dtype != nullptr ? std::optional(*dtype) : std::nullopt;
}

bool acceptsPartials(const OpSchema& call, ReduceOp op) {
  const DType from = call.input(0).dtype, to = call.outputs.front().dtype;
  const bool lengthens = from == DType::Int32 && to == DType::Int64;
  const bool folds = op == ReduceOp::Sum || op == ReduceOp::Product;
  return castsTermwise(op, from, to) || (lengthens && folds);
}

std::vector<SingleDimStrategy> reductionRows(const OpSchema& call, const ReducedDims& reduced,
                                             const std::optional<Placement>& partials) {
  std::vector<SingleDimStrategy> strategies;
  for (int dim = 0; dim < call.input(0).ndim(); ++dim) {
    const bool goes = reduced.has(dim);
    if (goes && !partials) continue;
    const auto inputs = shardsOf(call, dim);
    const auto outputs =
        goes ? std::vector(inputs.size(), *partials) : shardsOf(call, reduced.after(dim));
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      strategies.push_back({goes ? "partial result" : "sharded",
                            Placements(call.outputs.size(), outputs[i]),
                            Placements(call.inputs.size(), inputs[i])});
    }
  }
  return strategies;
}

}  // namespace shardlens
