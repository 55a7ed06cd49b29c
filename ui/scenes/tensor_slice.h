#pragma once

#include "core/model/placement.h"

#include <cstdint>

namespace shardlens {

// A two-dimensional slice of a tensor: the dimensions shown as rows and columns, and a fixed index
// for each other dimension. Initially the last two dimensions at index 0. A vector is one column, a
// scalar is one cell.
class TensorSlice {
 public:
  explicit TensorSlice(Shape shape = {});

  const Shape& shape() const { return shape_; }
  int rowDim() const { return rowDim_; }        // -1: none, the slice has one row
  int columnDim() const { return columnDim_; }  // -1: none, the slice has one column
  std::int64_t index(int dim) const { return fixed_[static_cast<std::size_t>(dim)]; }
  std::int64_t rows() const { return lengthOf(rowDim_); }
  std::int64_t columns() const { return lengthOf(columnDim_); }
  bool isEmpty() const { return rows() == 0 || columns() == 0 || !hasIndices_; }

  // Swap the two shown dimensions if `dim` is the other one. Require a dimension of the shape.
  void setRowDim(int dim);
  void setColumnDim(int dim);
  // Sets the fixed index of a dimension, clamped to its length.
  void setIndex(int dim, std::int64_t index);
  // Sets all fixed indices so that the slice contains this element. Indices are clamped.
  void show(const Shape& at);

  // Returns the index of the element in this row and column.
  Shape at(std::int64_t row, std::int64_t column) const;
  // Return the row and the column of an element with the slice's fixed indices; 0 along -1.
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
  Shape fixed_;  // the fixed index of each dimension; ignored for the shown ones
  int rowDim_ = -1;
  int columnDim_ = -1;
  bool hasIndices_ = true;  // no dimension has length 0
};

}  // namespace shardlens
