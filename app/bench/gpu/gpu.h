#pragma once

#include "kernels/cuda/stream.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace shardlens::bench {

using kernels::cuda::Stream;

// Why nothing can be measured; empty where there is a GPU.
std::string whyNoGpu();
// Device, driver and runtime, in a line each.
std::string gpuText();

// A stream and its memory, which lives as long as this does.
class Gpu {
 public:
  Gpu();
  ~Gpu();
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;

  Stream stream() const { return stream_; }
  template <class T>
  T* memory(std::int64_t count) {
    return static_cast<T*>(bytes(count * static_cast<std::int64_t>(sizeof(T))));
  }
  template <class T>
  T* memory(const std::vector<T>& from) {
    auto* to = memory<T>(static_cast<std::int64_t>(from.size()));
    fill(to, from.data(), static_cast<std::int64_t>(from.size() * sizeof(T)));
    return to;
  }
  void copy(void* to, const void* from, std::int64_t bytes);
  void zero(void* to, std::int64_t bytes);

  // How long each of `rounds` calls of queue(round) takes the GPU, in nanoseconds: they are queued
  // one behind the other, and the median of several such queues counts.
  double nanosecondsOf(int rounds, const std::function<void(int round)>& queue);

 private:
  void* bytes(std::int64_t count);
  void fill(void* to, const void* from, std::int64_t bytes);

  Stream stream_ = nullptr;
  std::vector<void*> memory_;
};

}  // namespace shardlens::bench
