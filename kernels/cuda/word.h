#pragma once

#include "kernels/host_device.h"

#include <cstdint>
#include <cstring>

namespace shardlens::kernels::cuda {

// The largest word that one instruction can read or write.
struct alignas(16) Word16 {
  std::uint32_t part[4];
};

// Elements that are read and written together. Aligned to its size.
template <class T, int kCount>
struct alignas(kCount == 1 ? alignof(T) : kCount * sizeof(T)) Pack {
  T element[kCount];
};

// Calls f with a value of the largest word type, of 16 bytes or fewer, whose size divides all
// addresses and strides. `bits` is the bitwise or of these.
template <class F>
void withWord(std::uint64_t bits, F f) {
  if (bits % 16 == 0) return f(Word16{});
  if (bits % 8 == 0) return f(std::uint64_t{});
  if (bits % 4 == 0) return f(std::uint32_t{});
  if (bits % 2 == 0) return f(std::uint16_t{});
  f(std::uint8_t{});
}

// Returns an address as a number.
inline std::uint64_t bitsOf(const void* address) {
  return static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(address));
}

// Reads through the read-only cache. The memory must not be written while the kernel runs.
template <class Word>
SHARDLENS_HOST_DEVICE Word readWord(const Word* from) {
#ifdef __CUDA_ARCH__
  if constexpr (sizeof(Word) == 16) {
    const int4 value = __ldg(reinterpret_cast<const int4*>(from));
    return {{static_cast<std::uint32_t>(value.x), static_cast<std::uint32_t>(value.y),
             static_cast<std::uint32_t>(value.z), static_cast<std::uint32_t>(value.w)}};
  } else {
    return __ldg(from);
  }
#else
  return *from;
#endif
}

// Writes with a streaming hint, because the value is not read again soon; other data stays cached.
template <class Word>
SHARDLENS_HOST_DEVICE void writeWord(Word* to, const Word& word) {
#ifdef __CUDA_ARCH__
  if constexpr (sizeof(Word) == 16) {
    const auto* part = reinterpret_cast<const int*>(word.part);
    __stcs(reinterpret_cast<int4*>(to), make_int4(part[0], part[1], part[2], part[3]));
  } else {
    __stcs(to, word);
  }
#else
  *to = word;
#endif
}

// Reads a pack by one instruction, as readWord().
template <class T, int kCount>
SHARDLENS_HOST_DEVICE Pack<T, kCount> readPack(const Pack<T, kCount>* from) {
  if constexpr (alignof(Pack<T, kCount>) == sizeof(Word16)) {
    const Word16 word = readWord(reinterpret_cast<const Word16*>(from));
    Pack<T, kCount> pack;
    memcpy(&pack, &word, sizeof pack);
    return pack;
  } else {
    return *from;
  }
}

// Writes a pack by one instruction, as writeWord(). The compiler would take a plain assignment
// apart and store the elements one by one.
template <class T, int kCount>
SHARDLENS_HOST_DEVICE void writePack(Pack<T, kCount>* to, const Pack<T, kCount>& pack) {
  if constexpr (alignof(Pack<T, kCount>) == sizeof(Word16)) {
    Word16 word;
    memcpy(&word, &pack, sizeof word);
    writeWord(reinterpret_cast<Word16*>(to), word);
  } else {
    *to = pack;
  }
}

}  // namespace shardlens::kernels::cuda
