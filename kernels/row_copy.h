#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace shardlens::kernels {

// Calls f with the bytes of a row; where many tables have rows like that, with a number that the
// compiler knows.
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

inline constexpr std::size_t kLine = 64;

// A row of zeros of any size that withRowBytes() knows.
alignas(kLine) inline constexpr std::byte kZeros[512] = {};

// No processor foretells where a table is read: its rows are fetched before their turn, whole. And
// zeros too: to look for an address that is nobody's takes a processor long.
inline void fetchRow(const std::byte* row, std::size_t bytes) {
  if (row == nullptr) row = kZeros;
  bytes = std::min(bytes, sizeof kZeros);
  for (std::size_t at = 0; at < bytes; at += kLine) __builtin_prefetch(row + at);
}

// A row of null is zeros. Those of a known size are copied like any other, so that which rank owns
// an id, which no processor can foretell either, costs no branch; and line by line, for compilers
// copy more at once by instructions that take longer to begin.
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

// Writes rows of so many bytes one after another; rowOf(i) is where the i-th stands, null for one
// of zeros. Where isLeft(i), what is there stays.
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
