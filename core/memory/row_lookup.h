#pragma once

#include "core/memory/dtypes.h"
#include "core/model/shard_geometry.h"

#include <ATen/core/Tensor.h>

#include <optional>

namespace shardlens {

// The row kernels for tensors.

// Looks up global ids (int32 or int64) in a 2-D table shard that has these rows of a larger table.
// Returns one row per id, in the shape of `ids` plus the row dimension: the table's row, or zeros
// for ids of other shards. `mask`, if defined, is a contiguous bool tensor of the shape of `ids`
// that receives true for each masked id. On the meta device, returns a meta tensor and does not
// fill the mask.
at::Tensor lookUp(const at::Tensor& table, const at::Tensor& ids, Chunk rows,
                  const at::Tensor& mask = {});

// The gradient of lookUp(): returns a table of these rows to which the gradient's row of each id is
// added, in the order of the ids. Ids of other rows and `paddingIdx` add nothing. Throws Refusal if
// the gradient is not floating-point.
at::Tensor addUp(const at::Tensor& gradient, const at::Tensor& ids, Chunk rows,
                 std::optional<std::int64_t> paddingIdx);

// Returns true if addUp() supports gradients of this type.
bool hasRowGradients(at::ScalarType type);

// Returns the size of one row (the last dimension) in bytes.
inline std::int64_t rowBytesOf(const at::Tensor& rows) {
  return rows.size(-1) * static_cast<std::int64_t>(rows.itemsize());
}

// Returns an uninitialised tensor with one row of the table's width and dtype per id.
at::Tensor emptyRows(const at::Tensor& table, const at::Tensor& ids);

}  // namespace shardlens
