#include "core/memory/row_lookup.h"

#include "core/base/refusal.h"
#include "core/memory/buffer_pool.h"
#include "core/memory/kernel_calls.h"

#include <ATen/ATen.h>

namespace shardlens {
bool hasRowGradients(at::ScalarType type) { return kernelFloats(type).has_value(); }

at::Tensor emptyRows(const at::Tensor& table, const at::Tensor& ids) {
  auto shape = ids.sizes().vec();
  shape.push_back(table.size(1));
  return emptyBuffer(shape, table.options());
}

// One kernel pass masks, shifts, looks up and zeroes. A shard without rows gives zeros.
at::Tensor lookUp(const at::Tensor& table, const at::Tensor& ids, Chunk rows,
                  const at::Tensor& mask) {
  const auto dense = table.contiguous();
  const auto list = ids.contiguous();
  const auto out = emptyRows(dense, list);
  if (out.is_meta()) return out;
  const std::int64_t rowBytes = rowBytesOf(dense);
  const kernels::TableShard shard{dense.const_data_ptr(), rowBytes, {rows.begin, rows.length}};
  auto* masked = mask.defined() ? static_cast<std::uint8_t*>(mask.mutable_data_ptr()) : nullptr;
  kernel_calls::maskedLookup(out, shard, kernelIds(list), out.mutable_data_ptr(), masked);
  return out;
}

at::Tensor addUp(const at::Tensor& gradient, const at::Tensor& ids, Chunk rows,
                 std::optional<std::int64_t> paddingIdx) {
  const auto type = kernelFloats(gradient.scalar_type());
  if (!type) {
    throw Refusal(std::string("the gradient of a lookup: got ") +
                  c10::toString(gradient.scalar_type()) + ", expected floating-point numbers");
  }
  const auto upstream = gradient.contiguous();
  const auto list = ids.contiguous();
  auto out = emptyBuffer({rows.length, upstream.size(-1)}, upstream.options());
  if (out.is_meta()) return out;
  const kernels::RowGrads grads{upstream.const_data_ptr(), *type, upstream.size(-1)};
  kernel_calls::scatterAddRows(out, kernelIds(list), grads, {rows.begin, rows.length}, paddingIdx);
  return out;
}

}  // namespace shardlens
