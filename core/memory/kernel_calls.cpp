#include "core/memory/kernel_calls.h"

#include "core/base/refusal.h"
#include "core/memory/gpu_scope.h"
#include "kernels/cuda/cross_entropy.h"
#include "kernels/cuda/rows.h"
#include "shardlens_gpu_build.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cstddef>
#include <memory>

namespace shardlens::kernel_calls {
namespace {

// Calls `queue` with torch's stream on the tensor's GPU. A build without CUDA kernels throws
// Refusal instead. `queue` is generic so that such a build does not reference the kernels.
template <class Queue>
auto onGpu(const at::Tensor& on, [[maybe_unused]] Queue queue) {
#ifdef SHARDLENS_WITH_CUDA
  const GpuScope gpu(on);
  return queue(gpu.stream());
#else
  using Answer = decltype(queue(kernels::cuda::Stream()));
  if (on.defined()) {
    throw Refusal("a kernel for " + on.device().str() +
                  ": got a build without CUDA kernels, expected one made where nvcc was found");
  }
  return Answer();
#endif
}

}  // namespace

void maskedLookup(const at::Tensor& on, const kernels::TableShard& shard, const kernels::Ids& ids,
                  void* out, std::uint8_t* mask) {
  if (on.is_cuda()) {
    return onGpu(on,
                 [&](auto stream) { kernels::cuda::maskedLookup(shard, ids, out, mask, stream); });
  }
  auto* rows = static_cast<std::byte*>(out);
  parallelFor({{ids.count, 2 * shard.rowBytes + 8}},
              [&](std::size_t, std::int64_t begin, std::int64_t end) {
                kernels::maskedLookup(shard, ids.part(begin, end), rows + begin * shard.rowBytes,
                                      mask == nullptr ? nullptr : mask + begin);
              });
}

void scatterAddRows(const at::Tensor& out, const kernels::Ids& ids, const kernels::RowGrads& grads,
                    kernels::RowRange rows, std::optional<std::int64_t> paddingIdx) {
  auto* data = out.mutable_data_ptr();
  if (out.is_cuda()) {
    out.zero_();
    return onGpu(out, [&](auto stream) {
      kernels::cuda::scatterAddRows(ids, grads, rows, paddingIdx, data, stream);
    });
  }
  auto* sums = static_cast<std::byte*>(data);
  const std::int64_t rowBytes = out.size(-1) * static_cast<std::int64_t>(out.itemsize());
  // Every thread reads all ids and adds only into its own rows, which keeps the order of additions.
  parallelFor({{rows.count, rowBytes + 1}}, [&](std::size_t, std::int64_t begin, std::int64_t end) {
    auto* own = sums + begin * rowBytes;
    std::fill_n(own, (end - begin) * rowBytes, std::byte{});  // also of no columns, at null
    kernels::scatterAddRows(ids, grads, {rows.begin + begin, end - begin}, paddingIdx, own);
  });
}

QueuedIdCheck queueIdCheck(const at::Tensor& on, const kernels::Ids& ids, std::int64_t tableRows) {
  return onGpu(on, [&](auto stream) -> QueuedIdCheck {
    auto check = std::make_shared<kernels::cuda::IdCheck>(ids, tableRows, stream);
    return [check] { return check->firstBad(); };
  });
}

std::optional<std::int64_t> checkIds(const at::Tensor& on, const kernels::Ids& ids,
                                     std::int64_t tableRows) {
  if (on.is_cuda()) return queueIdCheck(on, ids, tableRows)();
  return kernels::checkIds(ids, tableRows);
}

void sumRows(const at::Tensor& on, const kernels::LogitShard& shard,
             const kernels::LossTarget& target, kernels::RowRange rows,
             const kernels::RowSums& out) {
  if (on.is_cuda()) {
    return onGpu(on,
                 [&](auto stream) { kernels::cuda::sumRows(shard, target, rows, out, stream); });
  }
  kernels::sumRows(shard, target, rows, out);
}

void gradRows(const at::Tensor& on, const kernels::LogitShard& shard,
              const kernels::LossTarget& target, kernels::RowRange rows,
              const kernels::RowSums& sums, const kernels::LossGrads& grads, void* out) {
  if (on.is_cuda()) {
    return onGpu(on, [&](auto stream) {
      kernels::cuda::gradRows(shard, target, rows, sums, grads, out, stream);
    });
  }
  kernels::gradRows(shard, target, rows, sums, grads, out);
}

}  // namespace shardlens::kernel_calls
