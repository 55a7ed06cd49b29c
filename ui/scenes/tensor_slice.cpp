#include "ui/scenes/tensor_slice.h"

#include <algorithm>
#include <utility>

namespace shardlens {

TensorSlice::TensorSlice(Shape shape) : shape_(std::move(shape)), fixed_(shape_.size(), 0) {
  const int dims = static_cast<int>(shape_.size());
  rowDim_ = dims == 0 ? -1 : std::max(0, dims - 2);
  columnDim_ = dims < 2 ? -1 : dims - 1;
  hasIndices_ = std::find(shape_.begin(), shape_.end(), 0) == shape_.end();
}

void TensorSlice::setRowDim(int dim) {
  if (dim == columnDim_) {
    columnDim_ = rowDim_;
  }
  rowDim_ = dim;
}

void TensorSlice::setColumnDim(int dim) {
  if (dim == rowDim_) {
    rowDim_ = columnDim_;
  }
  columnDim_ = dim;
}

void TensorSlice::setIndex(int dim, std::int64_t index) {
  const auto last = std::max<std::int64_t>(0, lengthOf(dim) - 1);
  fixed_[static_cast<std::size_t>(dim)] = std::clamp<std::int64_t>(index, 0, last);
}

void TensorSlice::show(const Shape& at) {
  for (std::size_t dim = 0; dim < std::min(at.size(), shape_.size()); ++dim) {
    setIndex(static_cast<int>(dim), at[dim]);
  }
}

Shape TensorSlice::at(std::int64_t row, std::int64_t column) const {
  Shape at = fixed_;
  if (rowDim_ >= 0) {
    at[static_cast<std::size_t>(rowDim_)] = row;
  }
  if (columnDim_ >= 0) {
    at[static_cast<std::size_t>(columnDim_)] = column;
  }
  return at;
}

}  // namespace shardlens
