#include "core/comm/reduce.h"

#include "core/base/check.h"
#include "core/comm/copy.h"

#include <ATen/ATen.h>

namespace shardlens {
namespace {

void accumulate(at::Tensor into, const at::Tensor& term, ReduceOp op) {
  switch (op) {
    case ReduceOp::Sum:
    case ReduceOp::Avg:
    case ReduceOp::PremulSum:
      into.add_(term);
      return;
    case ReduceOp::Min:
      at::minimum_out(into, into, term);
      return;
    case ReduceOp::Max:
      at::maximum_out(into, into, term);
      return;
    case ReduceOp::Product:
      into.mul_(term);
      return;
    case ReduceOp::Band:
      into.bitwise_and_(term);
      return;
    case ReduceOp::Bor:
      into.bitwise_or_(term);
      return;
    case ReduceOp::Bxor:
      into.bitwise_xor_(term);
      return;
  }
}

// A sum of small numbers may not fit their type although their average does.
at::ScalarType averagingType(at::ScalarType type) {
  if (at::isIntegralType(type, /*includeBool=*/true)) return at::kLong;
  return type == at::kHalf || type == at::kBFloat16 ? at::kFloat : type;
}

void averageInto(const at::Tensor& into, const Buffers& terms) {
  const auto count = static_cast<std::int64_t>(terms.size());
  const auto wide = averagingType(into.scalar_type());
  auto sum = terms.front().to(wide, /*non_blocking=*/false, /*copy=*/true);
  for (std::size_t i = 1; i < terms.size(); ++i) sum.add_(terms[i]);
  into.copy_(at::isIntegralType(wide, false) ? sum.div_(count, "trunc") : sum.div_(count));
}

}  // namespace

void reduceIntoAll(const Buffers& outputs, const Buffers& terms, Reduction reduction) {
  SL_CHECK(!terms.empty(), "a reduction has terms");
  auto sum = terms.front().clone();
  if (reduction.op == ReduceOp::Avg) {
    averageInto(sum, terms);
  } else if (reduction.op == ReduceOp::PremulSum && at::isIntegralType(sum.scalar_type(), true)) {
    auto wide = terms.front().to(at::kDouble).mul(reduction.factor);
    for (std::size_t i = 1; i < terms.size(); ++i) wide.add_(terms[i].mul(reduction.factor));
    sum.copy_(wide);
  } else if (reduction.op == ReduceOp::PremulSum) {
    sum.mul_(reduction.factor);
    for (std::size_t i = 1; i < terms.size(); ++i) sum.add_(terms[i].mul(reduction.factor));
  } else {
    for (std::size_t i = 1; i < terms.size(); ++i) accumulate(sum, terms[i], reduction.op);
  }
  for (const auto& output : outputs) copyInto(output, sum);
}

}  // namespace shardlens
