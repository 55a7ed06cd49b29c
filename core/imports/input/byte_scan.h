#pragma once

#include <bit>
#include <cstdint>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace shardlens {

// A block of kSize bytes at an address. Comparisons return one bit per byte; bit 0 is the first
// byte. Uses SSE2 if available. The constructor's address must have kSize readable bytes.
#ifdef __SSE2__
class Bytes {
 public:
  static constexpr int kSize = 16;
  explicit Bytes(const char* at)
      : bytes_(_mm_loadu_si128(reinterpret_cast<const __m128i*>(at))) {}  // NOLINT
  // Returns the bits of the bytes that equal `c`.
  std::uint64_t equal(char c) const { return bits(_mm_cmpeq_epi8(bytes_, _mm_set1_epi8(c))); }
  // Returns the bits of { } [ ]. Setting bit 5 maps [ and ] to { and }, and no other character to
  // these.
  std::uint64_t brackets() const {
    const auto curly = _mm_or_si128(bytes_, _mm_set1_epi8(0x20));
    return bits(_mm_or_si128(_mm_cmpeq_epi8(curly, _mm_set1_epi8('{')),
                             _mm_cmpeq_epi8(curly, _mm_set1_epi8('}'))));
  }

 private:
  static std::uint64_t bits(__m128i bytes) {
    return static_cast<unsigned>(_mm_movemask_epi8(bytes));
  }
  __m128i bytes_;
};
#else
class Bytes {
 public:
  static constexpr int kSize = 16;
  explicit Bytes(const char* at) : at_(at) {}
  std::uint64_t equal(char c) const {
    std::uint64_t bits = 0;
    for (int i = 0; i < kSize; ++i) bits |= std::uint64_t{at_[i] == c} << i;
    return bits;
  }
  std::uint64_t brackets() const { return equal('{') | equal('}') | equal('[') | equal(']'); }

 private:
  const char* at_;
};
#endif

// Returns the address of the first quote, backslash or zero byte. The caller's buffer must contain
// one and be readable kSize - 1 bytes beyond it.
inline char* endOfText(char* at) {
  for (;; at += Bytes::kSize) {
    const Bytes bytes(at);
    const auto found = bytes.equal('"') | bytes.equal('\\') | bytes.equal(0);
    if (found != 0) return at + std::countr_zero(found);
  }
}

// Returns the address of the first byte that is no JSON white space. Same precondition.
inline char* pastBlanks(char* at) {
  constexpr std::uint64_t kAll = 0xFFFF;
  for (;; at += Bytes::kSize) {
    const Bytes bytes(at);
    const auto others =
        kAll & ~(bytes.equal(' ') | bytes.equal('\n') | bytes.equal('\t') | bytes.equal('\r'));
    if (others != 0) return at + std::countr_zero(others);
  }
}

// The quotes, backslashes and brackets in 64 bytes, one bit per byte.
struct SixtyFour {
  std::uint64_t quotes = 0, escapes = 0, brackets = 0;

  explicit SixtyFour(const char* at) {
    for (int i = 0; i < 64; i += Bytes::kSize) {
      const Bytes bytes(at + i);
      quotes |= bytes.equal('"') << i;
      escapes |= bytes.equal('\\') << i;
      brackets |= bytes.brackets() << i;
    }
  }
};

// Sets bit i if the number of set bits in 0 to i is odd (prefix parity). For the bits of quotes,
// the result marks the bytes inside texts, including the opening quote.
inline std::uint64_t oddUpTo(std::uint64_t bits) {
  for (unsigned shift = 1; shift < 64; shift *= 2) bits ^= bits << shift;
  return bits;
}

}  // namespace shardlens
