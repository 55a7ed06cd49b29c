#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace shardlens::kernels {

// How elements of one shape are copied between two layouts: rows of bytes that lie together in
// both, at regular distances. Any range of the bytes, counted in the order of the elements, can be
// copied on its own, so that threads share a copy and a cache keeps what is copied often.
class StridedCopy {
 public:
  static constexpr std::size_t kMostDims = 6;
  // Strides are in bytes.
  struct Dim {
    std::int64_t size;
    std::int64_t to;
    std::int64_t from;
  };

  // For strides in elements, as a tensor has them.
  StridedCopy(std::span<const std::int64_t> sizes, std::int64_t itemBytes,
              std::span<const std::int64_t> toStrides, std::span<const std::int64_t> fromStrides);

  std::int64_t bytes() const { return bytes_; }
  std::int64_t rowBytes() const { return rowBytes_; }
  // Beside the row, the innermost first.
  std::span<const Dim> dims() const { return {dim_.data(), dims_}; }
  // Not with more dimensions than anybody has; then nothing below is of use.
  bool isPossible() const { return !tooManyDims_; }
  // Nor, for a processor, where there are many tiny rows.
  bool isCheap() const;
  // The bytes from `begin` to `end`; `to` and `from` are where the whole begins.
  void copy(char* to, const char* from, std::int64_t begin, std::int64_t end) const;

 private:
  std::int64_t bytes_ = 0;
  std::int64_t rowBytes_ = 0;
  std::size_t dims_ = 0;
  bool tooManyDims_ = false;
  std::array<Dim, kMostDims> dim_;
};

}  // namespace shardlens::kernels
