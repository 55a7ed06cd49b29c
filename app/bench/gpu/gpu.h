#pragma once

#include "kernels/cuda/stream.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace shardlens::bench {

using kernels::cuda::Stream;

// The exit code of a benchmark without a GPU: that of a skipped test in build systems.
inline constexpr int kNoGpu = 77;

// Returns why no GPU can be used; empty if one can.
std::string whyNoGpu();
// Throws std::runtime_error with `what` and CUDA's text if a cudaError_t is not cudaSuccess.
void check(int status, const char* what);
// Describes the first device, the driver and the runtime, in a line each.
std::string gpuText();

// A CUDA stream on the current device, and device memory. The destructor waits for the stream and
// frees the memory. Functions throw std::runtime_error if CUDA fails.
class Gpu {
 public:
  Gpu();
  ~Gpu();
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;

  Stream stream() const { return stream_; }
  // Allocates zeroed memory for `count` elements.
  template <class T>
  T* memory(std::int64_t count) {
    return static_cast<T*>(bytes(count * static_cast<std::int64_t>(sizeof(T))));
  }
  // Allocates a copy of `from`; waits for the copy.
  template <class T>
  T* memory(const std::vector<T>& from) {
    auto* to = memory<T>(static_cast<std::int64_t>(from.size()));
    fill(to, from.data(), static_cast<std::int64_t>(from.size() * sizeof(T)));
    return to;
  }
  // Allocate random elements with the standard normal distribution. They repeat every 16 MiB.
  const float* randomFloats(std::int64_t count);
  const void* randomBFloat16s(std::int64_t count);
  // Enqueue a copy within the device, or zeroing.
  void copy(void* to, const void* from, std::int64_t bytes);
  void zero(void* to, std::int64_t bytes);

  // Returns the nanoseconds of GPU time per round. Enqueues queue(0) to queue(rounds - 1) without
  // waiting in between, 11 times after a warm-up, and takes the median.
  double nanosecondsOf(int rounds, const std::function<void(int round)>& queue);

 private:
  void* bytes(std::int64_t count);
  void fill(void* to, const void* from, std::int64_t bytes);
  // Fills `count` bytes with repetitions of the pattern.
  void repeat(char* to, std::int64_t count, const void* pattern, std::int64_t patternBytes);

  Stream stream_ = nullptr;
  std::vector<void*> memory_;
};

}  // namespace shardlens::bench
