#include "core/tensor/values/partials.h"

#include <ATen/ATen.h>

#include <cmath>

namespace shardlens {
namespace {

at::Tensor partialValueOfSum(const at::Tensor& whole, int ranks, int coordinate) {
  if (at::isFloatingType(whole.scalar_type()) || at::isComplexType(whole.scalar_type())) {
    return whole / ranks;
  }
  // Integers do not divide: coordinate 0 gets the whole value, to keep dtype and sum.
  return coordinate == 0 ? whole : at::zeros_like(whole);
}

ReduceOp opOfNorm(double norm) {
  if (std::isinf(norm)) return norm > 0 ? ReduceOp::Max : ReduceOp::Min;
  return ReduceOp::Sum;
}

// Infinite norms are a min or max, and norm 0 is a count: their values reduce without powers.
bool hasRoot(double norm) { return norm != 0 && !std::isinf(norm); }

}  // namespace

PartialArithmetic::PartialArithmetic(const Placement& partial) {
  if (const auto* norm = std::get_if<NormPartial>(&partial)) {
    reduction_ = {opOfNorm(norm->norm), 1.0};
    if (hasRoot(norm->norm)) power_ = norm->norm;
  } else if (const auto* plain = std::get_if<Partial>(&partial)) {
    reduction_ = {plain->op, plain->factor};
  } else {
    reduction_ = {partialOp(partial).value(), 1.0};
  }
}

PartialArithmetic PartialArithmetic::ofSumsAndAverages(int averaged) {
  PartialArithmetic arithmetic{Partial{}};
  arithmetic.averaged_ = averaged;
  return arithmetic;
}

at::Tensor PartialArithmetic::beforeReducing(const at::Tensor& partial) const {
  return power_ ? partial.abs().pow(*power_) : partial;
}

void PartialArithmetic::afterReducing(const at::Tensor& value) const {
  if (power_) at::Tensor(value).pow_(1 / *power_);
  if (averaged_ != 1) at::Tensor(value).div_(averaged_);
}

at::Tensor partialValueOf(const at::Tensor& whole, const Placement& partial, int ranks,
                          int coordinate) {
  if (const auto* norm = std::get_if<NormPartial>(&partial)) {
    if (hasRoot(norm->norm)) return whole / std::pow(ranks, 1 / norm->norm);
    return norm->norm == 0 ? partialValueOfSum(whole, ranks, coordinate) : whole;
  }
  return partialOp(partial) == ReduceOp::Sum ? partialValueOfSum(whole, ranks, coordinate) : whole;
}

at::Tensor heldOf(at::Tensor part, const DeviceMesh& mesh, const Placements& placements, int rank) {
  for (int dim = 0; dim < mesh.ndim(); ++dim) {
    const auto& placement = placements[static_cast<std::size_t>(dim)];
    if (!isPartial(placement)) continue;
    part = partialValueOf(part, placement, mesh.size(dim), mesh.coordinate(rank, dim));
  }
  return part;
}

}  // namespace shardlens
