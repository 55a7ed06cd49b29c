#pragma once

#include <ATen/core/Tensor.h>

#include <array>

namespace shardlens {

// Whether a tensor's elements lie in this process's memory as they are: not conjugated on reading,
// not on a device, not sharded.
bool isPlain(const at::Tensor& tensor);

// How elements of one shape are copied between two layouts: rows of bytes that lie together in
// both, at regular distances. Any range of the bytes, counted in the order of the elements, can be
// copied on its own, so that threads share a copy and a cache keeps what is copied often.
class StridedCopy {
 public:
  // For strides in elements, as a tensor has them.
  StridedCopy(at::IntArrayRef sizes, std::int64_t itemBytes, at::IntArrayRef toStrides,
              at::IntArrayRef fromStrides);
  // Between a tensor's layout and memory that is filled in the order of its elements.
  static StridedCopy toPacked(const at::Tensor& tensor);
  static StridedCopy fromPacked(const at::Tensor& tensor);

  std::int64_t bytes() const { return bytes_; }
  std::int64_t rowBytes() const { return rowBytes_; }
  // Not where there are many tiny rows, or more dimensions than anybody has.
  bool isCheap() const;
  // The bytes from `begin` to `end`; `to` and `from` are where the whole begins.
  void copy(char* to, const char* from, std::int64_t begin, std::int64_t end) const;

 private:
  static constexpr std::size_t kMostDims = 6;
  struct Dim {
    std::int64_t size;
    std::int64_t to;
    std::int64_t from;
  };

  std::int64_t bytes_ = 0;
  std::int64_t rowBytes_ = 0;
  std::size_t dims_ = 0;  // beside the row, the innermost first
  bool tooManyDims_ = false;
  std::array<Dim, kMostDims> dim_;
};

}  // namespace shardlens
