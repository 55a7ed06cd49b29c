#pragma once

#include "ui/scenes/tensor_slice.h"
#include "ui/scenes/tensor_view.h"

namespace shardlens {

// Returns the slice that a tensor is first shown by. It shows sharded dimensions, so that most
// ranks hold a part of it, and otherwise the last two.
TensorSlice firstSlice(const TensorRecord& tensor);

// The part of a slice that a rank holds, as rows and columns of its shard.
struct ShardSlice {
  Runs rows, columns;      // global indices, or local ones if the global ones are unknown
  std::int64_t first = 0;  // row-major index in the shard of the element in row 0 and column 0
  std::int64_t rowStride = 0, columnStride = 0;
  bool hasPart = true;  // false: the rank holds nothing of the slice

  std::int64_t rowCount() const { return totalLength(rows); }
  std::int64_t columnCount() const { return totalLength(columns); }
  std::int64_t flat(std::int64_t row, std::int64_t column) const {
    return first + row * rowStride + column * columnStride;
  }
};
// Returns the part of the slice that a rank holds. If the local tensor has another number of
// dimensions than the slice, returns all its rows.
ShardSlice sliceOf(const RankPart& part, const TensorSlice& slice);

// Returns the shape of the largest shard, held by the mesh's first rank, to which DTensor pads all
// shards before it sends them. Empty if that rank has no part in the view, and for inferred
// placements, because programs with plain tensors pad nothing.
Shape paddedShape(const TensorView& view);

}  // namespace shardlens
