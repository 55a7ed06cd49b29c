#include "kernels/cuda/stream_queue.h"

#include <mutex>
#include <set>

namespace shardlens::kernels::cuda {
namespace {

// Lets the device's memory pool keep 64 MiB. By default it releases all memory at each
// synchronisation, and each kernel with scratch memory would wait for a new allocation.
void keepSomeMemory() {
  static std::mutex mutex;
  static std::set<int> known;
  int device = 0;
  check(cudaGetDevice(&device), "current device");
  const std::lock_guard lock(mutex);
  if (!known.insert(device).second) return;
  cudaMemPool_t pool = nullptr;
  check(cudaDeviceGetDefaultMemPool(&pool, device), "memory pool");
  std::uint64_t kept = std::uint64_t{64} << 20;
  check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &kept), "memory pool");
}

}  // namespace

Scratch::Scratch(std::size_t bytes, Stream stream) : bytes_(bytes), stream_(stream) {
  if (bytes == 0) return;
  keepSomeMemory();
  check(cudaMallocAsync(&data_, bytes, stream), "allocation");
}

Scratch::~Scratch() {
  if (data_ != nullptr) cudaFreeAsync(data_, stream_);
}

void Scratch::set(const void* from) {
  if (bytes_ > 0) {
    check(cudaMemcpyAsync(data_, from, bytes_, cudaMemcpyHostToDevice, stream_), "copy");
  }
}

}  // namespace shardlens::kernels::cuda
