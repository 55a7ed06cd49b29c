#include "app/python/checked.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace shardlens {
namespace {

tl::unexpected<Error> wrong(std::string_view where, const std::string& got,
                            const std::string& expected) {
  return fail(fmt::format("{} is {}, expected {}", where, got, expected));
}

Result<int> integer(std::string_view where, std::int64_t value,
                    int least = std::numeric_limits<int>::min()) {
  constexpr int kMost = std::numeric_limits<int>::max();
  if (value >= least && value <= kMost) return static_cast<int>(value);
  return wrong(where, std::to_string(value), fmt::format("a number from {} to {}", least, kMost));
}

Result<ReduceOp> reduceOp(std::string_view where, const std::optional<std::string>& name) {
  if (!name) return ReduceOp::Sum;
  auto op = parseReduceOp(*name);
  if (!op) return fail(std::string(where) + ": " + op.error().message);
  return op;
}

}  // namespace

Result<Shard> checkedShard(std::int64_t dim) {
  return integer("Shard: dim", dim).map([](int checked) { return Shard{checked}; });
}

Result<StridedShard> checkedStridedShard(std::int64_t dim, std::int64_t splitFactor) {
  const auto checkedDim = integer("StridedShard: dim", dim);
  if (!checkedDim) return tl::unexpected(checkedDim.error());
  const auto factor = integer("StridedShard: split_factor", splitFactor, 1);
  if (!factor) return tl::unexpected(factor.error());
  return StridedShard{*checkedDim, *factor};
}

Result<Partial> checkedPartial(const std::optional<std::string>& op, std::optional<double> factor) {
  const auto checkedOp = reduceOp("Partial", op);
  if (!checkedOp) return tl::unexpected(checkedOp.error());
  const bool scaled = *checkedOp == ReduceOp::PremulSum;
  if (!scaled && factor) {
    const std::string name(reduceOpName(*checkedOp));
    return fail("Partial: got a factor for " + name + ", expected one for premul_sum only");
  }
  if (scaled && (!factor || std::isnan(*factor))) {
    return wrong("Partial: factor", factor ? "nan" : "not given", "a number for premul_sum");
  }
  return Partial{*checkedOp, factor.value_or(1.0)};
}

Result<NormPartial> checkedNormPartial(double norm) {
  if (std::isnan(norm)) return wrong("NormPartial: norm_type", "nan", "the p of a p-norm");
  return NormPartial{norm};
}

Result<MaskPartial> checkedMaskPartial(const std::optional<std::string>& op,
                                       const std::optional<Shape>& offsetShape,
                                       std::int64_t offsetDim) {
  const auto checkedOp = reduceOp("MaskPartial", op);
  if (!checkedOp) return tl::unexpected(checkedOp.error());
  if (!offsetShape) return fail("offset_shape needs to be set for _MaskPartial");
  const std::string shape = toText(*offsetShape);
  if (std::any_of(offsetShape->begin(), offsetShape->end(), [](auto size) { return size < 0; })) {
    return wrong("MaskPartial: offset_shape", shape, "sizes of 0 or more");
  }
  if (offsetDim < 0 || offsetDim >= static_cast<std::int64_t>(offsetShape->size())) {
    return wrong("MaskPartial: offset_dim", std::to_string(offsetDim), "a dimension of " + shape);
  }
  return MaskPartial{*checkedOp, *offsetShape, static_cast<int>(offsetDim)};
}

}  // namespace shardlens
