#include "core/comm/communicator.h"

#include "core/base/check.h"

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
  return type == at::kDouble ? at::kDouble : at::kFloat;
}

void averageInto(const at::Tensor& into, const Buffers& terms) {
  const auto count = static_cast<std::int64_t>(terms.size());
  const auto wide = averagingType(into.scalar_type());
  auto sum = terms.front().to(wide, /*non_blocking=*/false, /*copy=*/true);
  for (std::size_t i = 1; i < terms.size(); ++i) sum.add_(terms[i]);
  into.copy_(at::isFloatingType(wide) ? sum.div_(count) : sum.div_(count, "trunc"));
}

}  // namespace

void reduceInto(const at::Tensor& into, const Buffers& terms, Reduction reduction) {
  SL_CHECK(!terms.empty(), "a reduction has terms");
  if (reduction.op == ReduceOp::Avg) return averageInto(into, terms);
  if (!into.is_same(terms.front())) into.copy_(terms.front());
  for (std::size_t i = 1; i < terms.size(); ++i) accumulate(into, terms[i], reduction.op);
  if (reduction.op == ReduceOp::PremulSum) at::Tensor(into).mul_(reduction.factor);
}

std::int64_t bytesOf(const Buffers& buffers) {
  std::int64_t bytes = 0;
  for (const auto& buffer : buffers) bytes += static_cast<std::int64_t>(buffer.nbytes());
  return bytes;
}

std::int64_t bytesOf(const BufferLists& lists) {
  std::int64_t bytes = 0;
  for (const auto& list : lists) bytes += bytesOf(list);
  return bytes;
}

}  // namespace shardlens
