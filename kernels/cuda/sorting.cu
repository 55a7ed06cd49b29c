#include "kernels/cuda/stream_queue.h"

#include <cub/device/device_radix_sort.cuh>

namespace shardlens::kernels::cuda {
namespace {

// Calls a CUB function twice: the first call, without memory, returns the size that it needs.
template <class Run>
void withMemory(Stream stream, const char* what, Run run) {
  std::size_t bytes = 0;
  check(run(nullptr, bytes), what);
  const Scratch memory(bytes == 0 ? 1 : bytes, stream);
  check(run(memory.data(), bytes), what);
}

}  // namespace

void StreamQueue::sortByKey(const std::uint32_t* keys, std::uint32_t* sortedKeys,
                            const std::uint32_t* items, std::uint32_t* sortedItems,
                            std::int64_t count, int keyBits) {
  withMemory(stream, "sort", [&](void* memory, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(memory, bytes, keys, sortedKeys, items, sortedItems,
                                           static_cast<int>(count), 0, keyBits, stream);
  });
}

}  // namespace shardlens::kernels::cuda
