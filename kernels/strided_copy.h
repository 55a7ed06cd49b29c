#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace shardlens::kernels {

// A plan to copy elements of one shape between two strided layouts, as rows of bytes that are
// contiguous in both. Any range of the bytes, counted in element order, can be copied separately.
// Threads can share a copy, and blocks can be copied while they are cached.
class StridedCopy {
 public:
  static constexpr std::size_t kMostDims = 6;
  // A dimension outside the row; strides are in bytes.
  struct Dim {
    std::int64_t size;
    std::int64_t to;
    std::int64_t from;
  };

  // Takes strides in elements, as tensors do. Merges dimensions where possible.
  StridedCopy(std::span<const std::int64_t> sizes, std::int64_t itemBytes,
              std::span<const std::int64_t> toStrides, std::span<const std::int64_t> fromStrides);

  // Returns the number of bytes of all elements.
  std::int64_t bytes() const { return bytes_; }
  // Returns the number of bytes that are contiguous in both layouts.
  std::int64_t rowBytes() const { return rowBytes_; }
  // Returns the dimensions outside the row, innermost first.
  std::span<const Dim> dims() const { return {dim_.data(), dims_}; }
  // Returns false for more than kMostDims dimensions after merging. Then bytes() and dims() are
  // incomplete and copy() must not be called.
  bool isPossible() const { return !tooManyDims_; }
  // Returns true if possible and fast on a CPU: not for more than 512 rows of less than 32 bytes.
  bool isCheap() const;
  // Copies the bytes from `begin` to `end`, which must be within [0, bytes()]. `to` and `from` are
  // the addresses of the first elements; the memory must not overlap. Does nothing for an empty
  // range.
  void copy(char* to, const char* from, std::int64_t begin, std::int64_t end) const;

 private:
  std::int64_t bytes_ = 0;
  std::int64_t rowBytes_ = 0;
  std::size_t dims_ = 0;
  bool tooManyDims_ = false;
  std::array<Dim, kMostDims> dim_;
};

}  // namespace shardlens::kernels
