#pragma once

#include "ui/scenes/tensor_view.h"

namespace shardlens {

// How the elements of a tensor are laid on rows and columns: the last dimension runs along a row,
// a vector stands upright.
struct Grid {
  std::int64_t rows = 1;
  std::int64_t columns = 1;
};
Grid gridOf(const Shape& shape);

// The global indices along the rows and the columns of a part's grid, where they are known, so that
// a jump shows; `whole` is the tensor's shape.
Runs rowRuns(const RankPart& part, const Shape& whole);
Runs columnRuns(const RankPart& part);

}  // namespace shardlens
