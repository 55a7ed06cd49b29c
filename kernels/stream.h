#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace shardlens::kernels {

// Note [Past the cache]
// Before a processor writes on memory in the usual way it reads it, and what it has written drives
// other things out of the cache. Results that no cache would keep are written past it: that takes
// half the time. Their pieces are multiples of 16 bytes at such addresses, and drain() comes before
// anybody else reads them.

constexpr std::size_t kStreamFrom = std::size_t{4} << 20;
constexpr std::size_t kStreamUnit = 16;

inline bool canStream(const void* to, std::size_t pieceBytes) {
#ifdef __SSE2__
  return (reinterpret_cast<std::uintptr_t>(to) | pieceBytes) % kStreamUnit == 0;
#else
  static_cast<void>(to), static_cast<void>(pieceBytes);
  return false;
#endif
}

inline void streamPiece(std::byte* to, const std::byte* from, std::size_t bytes) {
#ifdef __SSE2__
  for (std::size_t at = 0; at < bytes; at += kStreamUnit) {
    _mm_stream_si128(reinterpret_cast<__m128i*>(to + at),
                     _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + at)));
  }
#else
  std::memcpy(to, from, bytes);
#endif
}

inline void streamZeros(std::byte* to, std::size_t bytes) {
#ifdef __SSE2__
  for (std::size_t at = 0; at < bytes; at += kStreamUnit) {
    _mm_stream_si128(reinterpret_cast<__m128i*>(to + at), _mm_setzero_si128());
  }
#else
  std::memset(to, 0, bytes);
#endif
}

inline void drain() {
#ifdef __SSE2__
  _mm_sfence();
#endif
}

}  // namespace shardlens::kernels
