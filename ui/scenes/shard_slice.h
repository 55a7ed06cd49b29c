#pragma once

#include "ui/scenes/tensor_slice.h"
#include "ui/scenes/tensor_view.h"

namespace shardlens {

// The slice that a tensor is first shown by: with the dimensions that are cut, so that as many
// ranks as can be have a part of it, and else the last ones.
TensorSlice firstSlice(const TensorRecord& tensor);

// What a rank holds of a slice of the whole, as rows and columns of its shard.
struct ShardSlice {
  // Global indices, so that a jump shows; local ones where the recording cannot tell.
  Runs rows, columns;
  std::int64_t first = 0;  // the element in the first row and column, in the shard, row-major
  std::int64_t rowStride = 0, columnStride = 0;
  bool isHeld = true;  // false: the slice lies beside what it holds

  std::int64_t rowCount() const { return totalLength(rows); }
  std::int64_t columnCount() const { return totalLength(columns); }
  std::int64_t flat(std::int64_t row, std::int64_t column) const {
    return first + row * rowStride + column * columnStride;
  }
};
ShardSlice sliceOf(const RankPart& part, const TensorSlice& slice);

// The shape that every shard has where DTensor pads them to one size, to send them: that of the
// largest, which the first rank of the mesh holds. Empty where that is not known.
Shape paddedShape(const TensorView& view);

}  // namespace shardlens
