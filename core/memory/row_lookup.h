#pragma once

#include "core/memory/dtypes.h"
#include "core/model/shard_geometry.h"

#include <ATen/core/Tensor.h>

#include <optional>

namespace shardlens {

// The kernels on the rows of tables, for tensors.

// Of a table that holds these rows of a larger one, the row of each id, zeros for those of others.
// The mask, where it is defined, is filled with what was masked.
at::Tensor lookUp(const at::Tensor& table, const at::Tensor& ids, Chunk rows,
                  const at::Tensor& mask = {});

// Its gradient: a table of these rows, to each of which the rows of its ids are added, in the order
// of the ids. Ids of other rows, and of padding, add nothing.
at::Tensor addUp(const at::Tensor& gradient, const at::Tensor& ids, Chunk rows,
                 std::optional<std::int64_t> paddingIdx);

// What both can: gradients of other types are refused.
bool hasRowGradients(at::ScalarType type);

inline std::int64_t rowBytesOf(const at::Tensor& rows) {
  return rows.size(-1) * static_cast<std::int64_t>(rows.itemsize());
}

// A result to be filled: for each id a row like the table's.
at::Tensor emptyRows(const at::Tensor& table, const at::Tensor& ids);

}  // namespace shardlens
