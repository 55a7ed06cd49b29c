#include "kernels/strided_copy.h"

#include <algorithm>
#include <cstring>

namespace shardlens::kernels {
namespace {

// Rows of bytes at regular strides. With a constant row size the compiler inlines the copy.
struct Rows {
  char* to;
  const char* from;
  std::int64_t count;
  std::int64_t toStride;
  std::int64_t fromStride;

  void copy(std::int64_t bytes) const {
    for (std::int64_t i = 0; i < count; ++i) {
      std::memcpy(to + i * toStride, from + i * fromStride, static_cast<std::size_t>(bytes));
    }
  }
  template <std::int64_t kBytes>
  void copy() const {
    copy(kBytes);
  }
};

void copyRows(const Rows& rows, std::int64_t bytes) {
  switch (bytes) {
    case 4:
      return rows.copy<4>();
    case 8:
      return rows.copy<8>();
    case 16:
      return rows.copy<16>();
    case 32:
      return rows.copy<32>();
    case 64:
      return rows.copy<64>();
    case 128:
      return rows.copy<128>();
    default:
      return rows.copy(bytes);
  }
}

}  // namespace

StridedCopy::StridedCopy(std::span<const std::int64_t> sizes, std::int64_t itemBytes,
                         std::span<const std::int64_t> toStrides,
                         std::span<const std::int64_t> fromStrides)
    : bytes_(itemBytes), rowBytes_(itemBytes) {
  for (std::size_t d = sizes.size(); d-- > 0;) {
    const Dim dim{sizes[d], toStrides[d] * itemBytes, fromStrides[d] * itemBytes};
    bytes_ *= dim.size;
    if (dim.size == 1) continue;
    if (dims_ == 0 && dim.to == rowBytes_ && dim.from == rowBytes_) {
      rowBytes_ *= dim.size;
      continue;
    }
    if (dims_ > 0) {
      Dim& inner = dim_[dims_ - 1];
      if (dim.to == inner.to * inner.size && dim.from == inner.from * inner.size) {
        inner.size *= dim.size;
        continue;
      }
    }
    if (dims_ == kMostDims) {
      tooManyDims_ = true;
      return;
    }
    dim_[dims_++] = dim;
  }
}

bool StridedCopy::isCheap() const {
  constexpr std::int64_t kTinyRow = 32;
  constexpr std::int64_t kFewRows = 512;
  return !tooManyDims_ && (rowBytes_ >= kTinyRow || bytes_ <= kFewRows * rowBytes_);
}

void StridedCopy::copy(char* to, const char* from, std::int64_t begin, std::int64_t end) const {
  if (begin >= end) return;
  if (dims_ == 0) {
    std::memcpy(to + begin, from + begin, static_cast<std::size_t>(end - begin));
    return;
  }
  std::array<std::int64_t, kMostDims> at;
  std::int64_t row = begin / rowBytes_;
  for (std::size_t d = 0; d < dims_; ++d) {
    at[d] = row % dim_[d].size;
    row /= dim_[d].size;
    to += at[d] * dim_[d].to;
    from += at[d] * dim_[d].from;
  }
  // Advances by `rows` rows, or past the row that was copied partly.
  const auto advance = [&](std::int64_t rows) {
    at[0] += rows;
    to += rows * dim_[0].to;
    from += rows * dim_[0].from;
    for (std::size_t d = 0; d + 1 < dims_ && at[d] == dim_[d].size; ++d) {
      at[d] = 0;
      ++at[d + 1];
      to += dim_[d + 1].to - dim_[d].to * dim_[d].size;
      from += dim_[d + 1].from - dim_[d].from * dim_[d].size;
    }
  };
  std::int64_t left = end - begin;
  if (const std::int64_t within = begin % rowBytes_; within > 0) {
    const std::int64_t rest = std::min(left, rowBytes_ - within);
    std::memcpy(to + within, from + within, static_cast<std::size_t>(rest));
    left -= rest;
    advance(1);
  }
  while (left >= rowBytes_) {
    const std::int64_t rows = std::min(left / rowBytes_, dim_[0].size - at[0]);
    copyRows({to, from, rows, dim_[0].to, dim_[0].from}, rowBytes_);
    left -= rows * rowBytes_;
    advance(rows);
  }
  if (left > 0) std::memcpy(to, from, static_cast<std::size_t>(left));
}

}  // namespace shardlens::kernels
