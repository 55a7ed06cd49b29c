#include "tests/kernels/gpu.h"

#include <cuda_runtime_api.h>

#include <stdexcept>

namespace shardlens::kernels::cuda {
namespace {

void check(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

}  // namespace

std::optional<std::string> whyNoGpu() {
  int count = 0;
  const auto status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess) return std::string("no GPU: ") + cudaGetErrorString(status);
  if (count == 0) return "no GPU";
  return std::nullopt;
}

GpuMemory::GpuMemory(const void* from, std::size_t bytes, std::size_t offset)
    : bytes_(bytes), offset_(offset) {
  check(cudaMalloc(&data_, bytes + offset + 1));
  if (from != nullptr && bytes > 0) check(cudaMemcpy(data(), from, bytes, cudaMemcpyHostToDevice));
}

GpuMemory::~GpuMemory() { cudaFree(data_); }

void GpuMemory::read(void* into) const {
  check(cudaDeviceSynchronize());
  if (bytes_ > 0) check(cudaMemcpy(into, data(), bytes_, cudaMemcpyDeviceToHost));
}

}  // namespace shardlens::kernels::cuda
