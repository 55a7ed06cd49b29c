#pragma once

#include <malloc.h>

#include <cstddef>

// Of a sanitizer, which replaces the heap of the C library; null without one.
extern "C" [[gnu::weak]] std::size_t __sanitizer_get_current_allocated_bytes();  // NOLINT

namespace shardlens {

// Returns the number of bytes in use on the heap.
inline std::size_t heapInUse() {
  if (__sanitizer_get_current_allocated_bytes != nullptr) {
    return __sanitizer_get_current_allocated_bytes();
  }
  const auto heap = mallinfo2();
  return heap.uordblks + heap.hblkhd;
}

}  // namespace shardlens
