#pragma once

#include "kernels/host_device.h"

#include <algorithm>
#include <cstdint>

namespace shardlens::kernels::cuda {

// Note [Bodies of kernels]
// The code of a GPU thread is a function of its Place in the grid, in a header without CUDA; a .cu
// file only launches it. The tests run the same functions for every thread of a grid on the CPU,
// also without a GPU. The functions use no shared memory and no synchronisation. Bodies that do
// have another form: see Note [Threads that cooperate] in group.h.

inline constexpr int kThreads = 256;                  // per block
inline constexpr std::int64_t kMostBlocks = 1 << 16;  // above it, a block does several tiles
inline constexpr std::int64_t kMostSlices = 65535;    // limit of the grid's second dimension

// The position of a thread. A block does every `blocks`-th tile; a slice is a part of each row.
struct Place {
  std::int64_t block;
  std::int64_t blocks;
  std::int64_t slice;
  std::int64_t slices;
  int thread;
};

// The size of a grid; no blocks means no launch.
struct Shape {
  std::int64_t blocks = 0;
  std::int64_t slices = 1;
};

// Returns a / b, rounded up. Requires a >= 0 and b > 0.
SHARDLENS_HOST_DEVICE constexpr std::int64_t ceilDiv(std::int64_t a, std::int64_t b) {
  return a / b + (a % b != 0 ? 1 : 0);
}

// Returns a grid of enough blocks for the items, at most kMostBlocks. Threads take one item after
// another. No items give no blocks.
inline Shape shapeFor(std::int64_t items, std::int64_t itemsPerBlock = kThreads) {
  return {.blocks = std::min(ceilDiv(items, itemsPerBlock), kMostBlocks)};
}

// Returns the first item of a thread. Its next item is itemStride() further.
SHARDLENS_HOST_DEVICE inline std::int64_t firstItem(const Place& at) {
  return at.block * kThreads + at.thread;
}
SHARDLENS_HOST_DEVICE inline std::int64_t itemStride(const Place& at) {
  return at.blocks * kThreads;
}

// Splits rows of words among threads. The lanes of a team do the words of one row, so that
// neighbouring threads access neighbouring words and no thread has to divide.
struct Teams {
  static constexpr int kMostLanesLog2 = 5;
  static constexpr std::int64_t kSliceWords = 8 << kMostLanesLog2;

  std::int64_t words = 0;
  int lanesLog2 = 0;

  // Returns teams of the lanes that a row of so many words needs: a power of 2, up to 32.
  static Teams of(std::int64_t words) {
    Teams teams{.words = words};
    while (teams.lanesLog2 < kMostLanesLog2 && (1 << teams.lanesLog2) < words) ++teams.lanesLog2;
    return teams;
  }

  // Returns the grid for `rows` rows when a team does `rowsAtOnce` rows at a time.
  Shape shape(std::int64_t rows, std::int64_t rowsAtOnce) const {
    if (rows == 0 || words == 0) return {};
    Shape shape = shapeFor(rows, count() * rowsAtOnce);
    shape.slices = std::min(ceilDiv(words, kSliceWords), kMostSlices);
    return shape;
  }

  SHARDLENS_HOST_DEVICE std::int64_t count() const { return kThreads >> lanesLog2; }  // in a block
  // Returns the number of a thread's team in its block, and of its lane in the team.
  SHARDLENS_HOST_DEVICE std::int64_t team(const Place& at) const { return at.thread >> lanesLog2; }
  SHARDLENS_HOST_DEVICE int lane(const Place& at) const {
    return at.thread & ((1 << lanesLog2) - 1);
  }

  // Calls f with each word of a row that this thread does.
  template <class F>
  SHARDLENS_HOST_DEVICE void forWords(const Place& at, F f) const {
    for (std::int64_t slice = at.slice; slice * kSliceWords < words; slice += at.slices) {
      const std::int64_t begin = slice * kSliceWords;
      const std::int64_t end = begin + kSliceWords < words ? begin + kSliceWords : words;
      for (std::int64_t word = begin + lane(at); word < end; word += 1 << lanesLog2) f(word);
    }
  }
};

}  // namespace shardlens::kernels::cuda
