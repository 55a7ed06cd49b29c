#pragma once

#include "core/model/placement.h"

#include <cstdint>

namespace shardlens {

// Two dimensions of a tensor as rows and columns, with an index for each other one. At first the
// last two, at index 0; a vector stands upright, a scalar is one cell.
class TensorSlice {
 public:
  explicit TensorSlice(Shape shape = {});

  const Shape& shape() const { return shape_; }
  int rowDim() const { return rowDim_; }        // -1: none, there is one row
  int columnDim() const { return columnDim_; }  // likewise
  std::int64_t index(int dim) const { return fixed_[static_cast<std::size_t>(dim)]; }
  std::int64_t rows() const { return lengthOf(rowDim_); }
  std::int64_t columns() const { return lengthOf(columnDim_); }
  bool isEmpty() const { return rows() == 0 || columns() == 0 || !hasIndices_; }

  // A dimension that is shown already changes places with the other one.
  void setRowDim(int dim);
  void setColumnDim(int dim);
  // The nearest that there is.
  void setIndex(int dim, std::int64_t index);
  // Goes to the slice that has this element.
  void show(const Shape& at);

  Shape at(std::int64_t row, std::int64_t column) const;
  std::int64_t rowOf(const Shape& at) const { return along(at, rowDim_); }
  std::int64_t columnOf(const Shape& at) const { return along(at, columnDim_); }

 private:
  std::int64_t lengthOf(int dim) const {
    return dim < 0 ? 1 : shape_[static_cast<std::size_t>(dim)];
  }
  static std::int64_t along(const Shape& at, int dim) {
    return dim < 0 ? 0 : at[static_cast<std::size_t>(dim)];
  }

  Shape shape_;
  Shape fixed_;  // of dimensions that are not shown
  int rowDim_ = -1;
  int columnDim_ = -1;
  bool hasIndices_ = true;  // no dimension is without any
};

}  // namespace shardlens
