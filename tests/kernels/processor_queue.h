#pragma once

#include "kernels/cuda/grid.h"
#include "kernels/cuda/group.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <numeric>
#include <vector>

namespace shardlens::kernels::cuda {

// A queue that runs kernel bodies on the processor, thread by thread. See Note [Bodies of kernels]
// and Note [Threads that cooperate].
struct ProcessorQueue {
  // Host memory with a nonzero pattern, so that kernels cannot rely on zeros.
  class Memory {
   public:
    explicit Memory(std::size_t bytes) : numbers_((bytes + 3) / 4, 0xA5A5A5A5) {}
    std::uint32_t* numbers() const { return const_cast<std::uint32_t*>(numbers_.data()); }

   private:
    std::vector<std::uint32_t> numbers_;
  };

  std::int64_t mostBlocks = kMostBlocks;  // fewer, so that a block loops
  mutable int launches = 0;               // of grids with blocks

  template <class Body>
  void launch(const Shape& shape, const Body& body, const char*) const {
    static_assert(sizeof(Body) <= 4096, "what every driver passes to a kernel");
    if (shape.blocks > 0) ++launches;
    const std::int64_t blocks = std::min(shape.blocks, mostBlocks);
    const std::int64_t slices = std::min(shape.slices, mostBlocks);
    for (std::int64_t slice = 0; slice < slices; ++slice) {
      for (std::int64_t block = blocks; block-- > 0;) {
        // In another order than that of their numbers, as on a GPU.
        for (int i = 0; i < kThreads; ++i) {
          body(Place{block, blocks, slice, slices, (i * 77 + 50) % kThreads});
        }
      }
    }
  }

  template <class Body>
  void launchGroups(const Shape& shape, const Body& body, const char*) const {
    static_assert(sizeof(Body) <= 4096, "what every driver passes to a kernel");
    constexpr int kGroups = threadsPerBlock<Body>() / Body::Group::kThreads;
    const std::int64_t groups = std::min(shape.blocks, mostBlocks) * kGroups;
    const std::int64_t slices = std::min(shape.slices, mostBlocks);
    const auto shared = std::make_unique<typename Body::Shared>();
    for (std::int64_t slice = 0; slice < slices; ++slice) {
      for (std::int64_t group = groups; group-- > 0;) {
        std::memset(static_cast<void*>(shared.get()), 0xA5, sizeof *shared);
        body(typename Body::Group{}, GroupPlace{group, groups, slice, slices}, *shared);
      }
    }
  }

  Memory scratch(std::size_t bytes) const { return Memory(bytes); }

  void sortByKey(const std::uint32_t* keys, std::uint32_t* sortedKeys, const std::uint32_t* items,
                 std::uint32_t* sortedItems, std::int64_t count, int keyBits) const {
    std::vector<std::int64_t> order(static_cast<std::size_t>(count));
    std::iota(order.begin(), order.end(), 0);
    const auto key = [&](std::int64_t i) {
      return std::uint64_t{keys[i]} & ((std::uint64_t{1} << keyBits) - 1);
    };
    std::stable_sort(order.begin(), order.end(),
                     [&](std::int64_t a, std::int64_t b) { return key(a) < key(b); });
    for (const std::int64_t i : order) {
      *sortedKeys++ = keys[i];
      *sortedItems++ = items[i];
    }
  }
};

}  // namespace shardlens::kernels::cuda
