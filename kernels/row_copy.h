#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace shardlens::kernels {

// Calls f with the size of a row: a compile-time constant for common sizes, else a std::size_t.
template <class F>
void withRowBytes(std::int64_t bytes, F f) {
  switch (bytes) {
    case 4:
      return f(std::integral_constant<std::size_t, 4>());
    case 8:
      return f(std::integral_constant<std::size_t, 8>());
    case 16:
      return f(std::integral_constant<std::size_t, 16>());
    case 32:
      return f(std::integral_constant<std::size_t, 32>());
    case 64:
      return f(std::integral_constant<std::size_t, 64>());
    case 128:
      return f(std::integral_constant<std::size_t, 128>());
    case 256:
      return f(std::integral_constant<std::size_t, 256>());
    case 512:
      return f(std::integral_constant<std::size_t, 512>());
    default:
      return f(static_cast<std::size_t>(bytes));
  }
}

// The size of a cache line in bytes.
inline constexpr std::size_t kLine = 64;

// A row of zeros, as long as the largest constant size of withRowBytes().
alignas(kLine) inline constexpr std::byte kZeros[512] = {};

// Prefetches up to 512 bytes of a row, because the order of table reads is unpredictable for the
// CPU. For a null row prefetches kZeros, because prefetching an unmapped address is slow.
inline void fetchRow(const std::byte* row, std::size_t bytes) {
  if (row == nullptr) row = kZeros;
  bytes = std::min(bytes, sizeof kZeros);
  for (std::size_t at = 0; at < bytes; at += kLine) __builtin_prefetch(row + at);
}

// Copies a row; null means zeros. With a constant size, zeros are copied like any other row, so
// that ownership costs no unpredictable branch. Copies line by line, because compilers use
// slow-starting block instructions for longer copies.
template <class Bytes>
void copyRow(std::byte* out, const std::byte* row, Bytes bytes) {
  if constexpr (std::is_same_v<Bytes, std::size_t>) {
    if (bytes == 0) return;
    row == nullptr ? std::memset(out, 0, bytes) : std::memcpy(out, row, bytes);
  } else {
    constexpr std::size_t kStep = std::min(kLine, Bytes::value);
    if (row == nullptr) row = kZeros;
    for (std::size_t at = 0; at < bytes; at += kStep) std::memcpy(out + at, row + at, kStep);
  }
}

// Writes `count` rows contiguously to `out`. rowOf(i) returns the address of row i, or null for
// zeros. Row i of `out` is left unchanged if isLeft(i) is true.
template <class RowOf, class IsLeft>
void writeRows(std::int64_t count, std::int64_t rowBytes, void* out, RowOf rowOf, IsLeft isLeft) {
  constexpr std::int64_t kAhead = 12;  // rows
  withRowBytes(rowBytes, [&](auto bytes) {
    auto* to = static_cast<std::byte*>(out);
    for (std::int64_t i = 0; i < count; ++i, to += bytes) {
      if (i + kAhead < count) fetchRow(rowOf(i + kAhead), bytes);
      if (!isLeft(i)) copyRow(to, rowOf(i), bytes);
    }
  });
}

template <class RowOf>
void writeRows(std::int64_t count, std::int64_t rowBytes, void* out, RowOf rowOf) {
  writeRows(count, rowBytes, out, rowOf, [](std::int64_t) { return false; });
}

}  // namespace shardlens::kernels
