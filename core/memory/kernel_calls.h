#pragma once

#include "core/memory/parallel_for.h"
#include "kernels/cross_entropy.h"
#include "kernels/rows.h"

#include <ATen/core/Tensor.h>

#include <functional>
#include <optional>

namespace shardlens::kernel_calls {

// The kernels of kernels/rows.h and kernels/cross_entropy.h on the device of the tensor `on` or
// `out`, where all pointers must be. On a GPU the work is queued on torch's current stream; a build
// without CUDA kernels throws Refusal. On the CPU, maskedLookup() and scatterAddRows() use torch's
// threads, the other functions the calling thread.

// `out` receives one row per id; `mask` may be null.
void maskedLookup(const at::Tensor& on, const kernels::TableShard& shard, const kernels::Ids& ids,
                  void* out, std::uint8_t* mask);

// Overwrites `out`, a table of these rows: zeroes it first.
void scatterAddRows(const at::Tensor& out, const kernels::Ids& ids, const kernels::RowGrads& grads,
                    kernels::RowRange rows, std::optional<std::int64_t> paddingIdx);

// A queued check of ids. The call blocks until the check has run, and returns as checkIds().
using QueuedIdCheck = std::function<std::optional<std::int64_t>()>;
// Queues checkIds() on the GPU of `on`. The ids must not be freed before the check has run. Throws
// Refusal in a build without CUDA kernels.
QueuedIdCheck queueIdCheck(const at::Tensor& on, const kernels::Ids& ids, std::int64_t tableRows);
// Returns the position of the first id outside [0, tableRows), or nullopt. On a GPU, blocks until
// the check has run.
std::optional<std::int64_t> checkIds(const at::Tensor& on, const kernels::Ids& ids,
                                     std::int64_t tableRows);

// Process these rows of one shard; see kernels/cross_entropy.h. All pointers refer to the first row
// of the shard, not of the range.
void sumRows(const at::Tensor& on, const kernels::LogitShard& shard,
             const kernels::LossTarget& target, kernels::RowRange rows,
             const kernels::RowSums& out);
void gradRows(const at::Tensor& on, const kernels::LogitShard& shard,
              const kernels::LossTarget& target, kernels::RowRange rows,
              const kernels::RowSums& sums, const kernels::LossGrads& grads, void* out);

}  // namespace shardlens::kernel_calls
