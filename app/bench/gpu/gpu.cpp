#include "app/bench/gpu/gpu.h"

#include "kernels/cuda/timer.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <stdexcept>

namespace shardlens::bench {
namespace {

std::string versionText(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

const std::vector<float>& randomBlock() {
  static const std::vector<float> block = [] {
    std::mt19937 random(1);
    std::normal_distribution<float> normal;
    std::vector<float> drawn(std::size_t{1} << 22);
    for (auto& each : drawn) each = normal(random);
    return drawn;
  }();
  return block;
}

// The same numbers, truncated.
const std::vector<std::uint16_t>& randomBFloat16Block() {
  static const std::vector<std::uint16_t> block = [] {
    std::vector<std::uint16_t> upper;
    for (const float each : randomBlock()) {
      std::uint32_t bits = 0;
      std::memcpy(&bits, &each, sizeof bits);
      upper.push_back(static_cast<std::uint16_t>(bits >> 16));
    }
    return upper;
  }();
  return block;
}

}  // namespace

void check(int status, const char* what) {
  if (status == cudaSuccess) return;
  throw std::runtime_error(std::string(what) + ": " +
                           cudaGetErrorString(static_cast<cudaError_t>(status)));
}

std::string whyNoGpu() {
  int count = 0;
  const auto status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess) return cudaGetErrorString(status);
  return count == 0 ? "there is none" : "";
}

std::string gpuText() {
  cudaDeviceProp device{};
  check(cudaGetDeviceProperties(&device, 0), "properties of the GPU");
  int driver = 0, runtime = 0;
  check(cudaDriverGetVersion(&driver), "version of the driver");
  check(cudaRuntimeGetVersion(&runtime), "version of the runtime");
  return "GPU      " + std::string(device.name) + ", sm_" + std::to_string(device.major) +
         std::to_string(device.minor) + ", " + std::to_string(device.multiProcessorCount) +
         " multiprocessors, " + std::to_string(device.totalGlobalMem >> 30) + " GiB, L2 " +
         std::to_string(device.l2CacheSize >> 20) + " MiB\ndriver   CUDA " + versionText(driver) +
         "\nruntime  CUDA " + versionText(runtime);
}

Gpu::Gpu() { check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream"); }

Gpu::~Gpu() {
  cudaStreamSynchronize(stream_);
  for (void* each : memory_) cudaFree(each);
  cudaStreamDestroy(stream_);
}

void* Gpu::bytes(std::int64_t count) {
  void* data = nullptr;
  check(cudaMalloc(&data, static_cast<std::size_t>(std::max<std::int64_t>(count, 1))), "memory");
  memory_.push_back(data);
  zero(data, count);
  return data;
}

void Gpu::fill(void* to, const void* from, std::int64_t bytes) {
  check(cudaMemcpyAsync(to, from, static_cast<std::size_t>(bytes), cudaMemcpyHostToDevice, stream_),
        "copy to the GPU");
  check(cudaStreamSynchronize(stream_), "copy to the GPU");
}

const float* Gpu::randomFloats(std::int64_t count) {
  const auto& block = randomBlock();
  auto* to = memory<float>(count);
  repeat(reinterpret_cast<char*>(to), count * 4, block.data(),
         static_cast<std::int64_t>(block.size()) * 4);
  return to;
}

const void* Gpu::randomBFloat16s(std::int64_t count) {
  const auto& block = randomBFloat16Block();
  auto* to = memory<char>(count * 2);
  repeat(to, count * 2, block.data(), static_cast<std::int64_t>(block.size()) * 2);
  return to;
}

void Gpu::repeat(char* to, std::int64_t count, const void* pattern, std::int64_t patternBytes) {
  std::int64_t filled = std::min(count, patternBytes);
  fill(to, pattern, filled);
  while (filled < count) {
    const std::int64_t next = std::min(filled, count - filled);
    copy(to + filled, to, next);
    filled += next;
  }
}

void Gpu::copy(void* to, const void* from, std::int64_t bytes) {
  check(
      cudaMemcpyAsync(to, from, static_cast<std::size_t>(bytes), cudaMemcpyDeviceToDevice, stream_),
      "copy");
}

void Gpu::zero(void* to, std::int64_t bytes) {
  check(cudaMemsetAsync(to, 0, static_cast<std::size_t>(bytes), stream_), "zeros");
}

double Gpu::nanosecondsOf(int rounds, const std::function<void(int)>& queue) {
  constexpr int kQueues = 11;
  std::vector<double> times;
  for (int i = 0; i <= kQueues; ++i) {
    kernels::cuda::Timer timer(stream_);
    for (int round = 0; round < rounds; ++round) queue(round);
    timer.stop();
    check(cudaStreamSynchronize(stream_), "end of what is measured");
    const double time = static_cast<double>(timer.nanoseconds().value()) / rounds;
    if (i > 0) times.push_back(time);  // the first queue warms up
  }
  std::nth_element(times.begin(), times.begin() + kQueues / 2, times.end());
  return times[kQueues / 2];
}

}  // namespace shardlens::bench
