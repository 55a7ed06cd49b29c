#include "core/ops/rules/rules.h"

#include <algorithm>

namespace shardlens {
namespace {

// y[k, f] = sum over n of x[k, n] exp(-2 pi i f n / N). The transformed dimensions must be whole;
// the others may be sharded. Linear in x.
std::vector<SingleDimStrategy> transform(const OpSchema& call) {
  const int ndim = call.input(0).ndim();
  const auto dims = call.intList("dim");
  const auto isTransformed = [&](int dim) {
    return std::any_of(dims.begin(), dims.end(),
                       [&](auto each) { return each == dim || each == dim - ndim; });
  };
  std::vector<SingleDimStrategy> strategies;
  for (int dim = 0; dim < ndim; ++dim) {
    if (isTransformed(dim)) continue;
    for (const auto& shard : shardsOf(call, dim))
      strategies.push_back({"sharded", {shard}, {shard}});
  }
  for (const auto op : {ReduceOp::Sum, ReduceOp::Avg}) {
    strategies.push_back({"partial", {Partial{op}}, {Partial{op}}});
  }
  return strategies;
}

// Returns the dimension that is transformed last.
std::size_t lastDim(const OpSchema& call) {
  const auto last = call.intList("dim").back();
  return static_cast<std::size_t>(last < 0 ? last + call.input(0).ndim() : last);
}

// Returns the input's shape with another size of that dimension.
std::vector<TensorMeta> withLast(const OpSchema& call, DType dtype, std::int64_t size) {
  auto shape = call.input(0).shape;
  shape[lastDim(call)] = size;
  return {inOrder(shape, dtype)};
}

std::vector<TensorMeta> complexToComplex(const OpSchema& call) {
  return {inOrder(call.input(0).shape, call.input(0).dtype)};
}

// Half of the frequencies of real input determine the other half.
std::vector<TensorMeta> realToComplex(const OpSchema& call) {
  const DType dtype = complexDType(call.input(0).dtype);
  if (!std::get<bool>(call.arg("onesided"))) return {inOrder(call.input(0).shape, dtype)};
  return withLast(call, dtype, call.input(0).shape[lastDim(call)] / 2 + 1);
}

std::vector<TensorMeta> complexToReal(const OpSchema& call) {
  return withLast(call, realDType(call.input(0).dtype),
                  std::get<std::int64_t>(call.arg("last_dim_size")));
}

}  // namespace

std::vector<NamedRule> fftRules() {
  const auto transformed = [](auto outputs) {
    return Rule{.singleDimStrategies = transform,
                .emptyShards = Rule::EmptyShards::Skipped,
                .outputs = outputs};
  };
  return {{"aten._fft_c2c", transformed(complexToComplex)},
          {"aten._fft_c2r", transformed(complexToReal)},
          {"aten._fft_r2c", transformed(realToComplex)}};
}

}  // namespace shardlens
