#pragma once

#include "core/memory/parallel_for.h"
#include "kernels/cross_entropy.h"
#include "kernels/rows.h"

#include <ATen/core/Tensor.h>

#include <optional>

namespace shardlens::kernel_calls {

// The kernels wherever a tensor's memory is, which all pointers here are in: on the processor their
// work is shared by torch's threads, on a GPU they are queued on torch's stream there, and refused
// in a build without them.

void maskedLookup(const at::Tensor& on, const kernels::TableShard& shard, const kernels::Ids& ids,
                  void* out, std::uint8_t* mask);

// Into a table of these rows, which it zeroes first.
void scatterAddRows(const at::Tensor& out, const kernels::Ids& ids, const kernels::RowGrads& grads,
                    kernels::RowRange rows, std::optional<std::int64_t> paddingIdx);

std::optional<std::int64_t> checkIds(const at::Tensor& on, const kernels::Ids& ids,
                                     std::int64_t tableRows);

// Of one shard; on the processor the calling thread does these rows.
void sumRows(const at::Tensor& on, const kernels::LogitShard& shard,
             const kernels::LossTarget& target, kernels::RowRange rows,
             const kernels::RowSums& out);
void gradRows(const at::Tensor& on, const kernels::LogitShard& shard,
              const kernels::LossTarget& target, kernels::RowRange rows,
              const kernels::RowSums& sums, const kernels::LossGrads& grads, void* out);

}  // namespace shardlens::kernel_calls
