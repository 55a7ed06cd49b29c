#pragma once

#include "kernels/stream.h"

#include <algorithm>
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

// No processor foretells where a table is read: its rows are fetched before their turn, whole.
inline void fetchRow(const std::byte* row, std::size_t bytes) {
  constexpr std::size_t kMost = 512;
  for (std::size_t at = 0; at < std::min(bytes, kMost); at += kLine) __builtin_prefetch(row + at);
}

// A row of null is zeros. Those of a known size are copied like any other, so that which rank owns
// an id, which no processor can foretell either, costs no branch.
template <bool kStreamed, class Bytes>
void copyRow(std::byte* out, const std::byte* row, Bytes bytes) {
  if constexpr (!std::is_same_v<Bytes, std::size_t>) {
    if (row == nullptr) row = kZeros;
  } else if (row == nullptr) {
    if (bytes == 0) return;
    return kStreamed ? streamZeros(out, bytes) : void(std::memset(out, 0, bytes));
  }
  if constexpr (kStreamed) {
    streamPiece(out, row, bytes);
  } else {
    std::memcpy(out, row, bytes);
  }
}

template <bool kStreamed, class Bytes, class RowOf>
void copyRows(std::int64_t count, Bytes bytes, std::byte* out, RowOf rowOf) {
  constexpr std::int64_t kAhead = 12;  // rows
  for (std::int64_t i = 0; i < count; ++i, out += bytes) {
    // Zeros too: to look for an address that is nobody's takes a processor long.
    if (i + kAhead < count) {
      const std::byte* next = rowOf(i + kAhead);
      fetchRow(next == nullptr ? kZeros : next, bytes);
    }
    copyRow<kStreamed>(out, rowOf(i), bytes);
  }
}

// Writes rows of so many bytes one after another; rowOf(i) is where the i-th stands, null for one
// of zeros.
template <class RowOf>
void writeRows(std::int64_t count, std::int64_t rowBytes, void* out, RowOf rowOf) {
  auto* to = static_cast<std::byte*>(out);
  const auto total = static_cast<std::size_t>(count * rowBytes);
  const bool streamed = total >= kStreamFrom && canStream(out, static_cast<std::size_t>(rowBytes));
  withRowBytes(rowBytes, [&](auto bytes) {
    if (!streamed) return copyRows<false>(count, bytes, to, rowOf);
    copyRows<true>(count, bytes, to, rowOf);
    drain();
  });
}

}  // namespace shardlens::kernels
