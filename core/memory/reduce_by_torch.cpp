#include "core/memory/copy.h"
#include "core/memory/reduce.h"

#include <ATen/ATen.h>

namespace shardlens {
namespace {

void accumulate(at::Tensor into, const at::Tensor& addend, ReduceOp op) {
  switch (op) {
    case ReduceOp::Sum:
    case ReduceOp::Avg:        // handled by averageInto()
    case ReduceOp::PremulSum:  // handled by scaledSumInto()
      into.add_(addend);
      return;
    case ReduceOp::Min:
      at::minimum_out(into, into, addend);
      return;
    case ReduceOp::Max:
      at::maximum_out(into, into, addend);
      return;
    case ReduceOp::Product:
      into.mul_(addend);
      return;
    case ReduceOp::Band:
      into.bitwise_and_(addend);
      return;
    case ReduceOp::Bor:
      into.bitwise_or_(addend);
      return;
    case ReduceOp::Bxor:
      into.bitwise_xor_(addend);
      return;
  }
}

// The sum of small types may overflow although the average fits.
at::ScalarType averagingType(at::ScalarType type) {
  if (at::isIntegralType(type, /*includeBool=*/true)) return at::kLong;
  return type == at::kHalf || type == at::kBFloat16 ? at::kFloat : type;
}

void averageInto(const at::Tensor& into, const Buffers& addends) {
  const auto count = static_cast<std::int64_t>(addends.size());
  const auto wide = averagingType(into.scalar_type());
  auto sum = addends.front().to(wide, /*non_blocking=*/false, /*copy=*/true);
  for (std::size_t i = 1; i < addends.size(); ++i) sum.add_(addends[i]);
  into.copy_(at::isIntegralType(wide, false) ? sum.div_(count, "trunc") : sum.div_(count));
}

// Integers are scaled in double, because the factor may be no integer.
void scaledSumInto(const at::Tensor& into, const Buffers& addends, double factor) {
  const auto type = into.scalar_type();
  const auto wide = at::isIntegralType(type, /*includeBool=*/true) ? at::kDouble : type;
  auto sum = addends.front().to(wide).mul(factor);
  for (std::size_t i = 1; i < addends.size(); ++i) sum.add_(addends[i].to(wide).mul(factor));
  into.copy_(sum);
}

}  // namespace

void reduceByTorch(const Terms& reduction, Reduction how) {
  auto sum = reduction.terms.front().clone();
  if (how.op == ReduceOp::Avg) {
    averageInto(sum, reduction.terms);
  } else if (how.op == ReduceOp::PremulSum) {
    scaledSumInto(sum, reduction.terms, how.factor);
  } else {
    for (std::size_t i = 1; i < reduction.terms.size(); ++i) {
      accumulate(sum, reduction.terms[i], how.op);
    }
  }
  for (const auto& output : reduction.outputs) copyInto(output, sum);
}

}  // namespace shardlens
