#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace shardlens::kernels::cuda {

// Returns why no GPU can be used, or nullopt if there is one.
std::optional<std::string> whyNoGpu();

// Owns memory of the GPU that starts `offset` bytes after an aligned address, filled from host
// memory if `from` is not null. Throws std::runtime_error on a CUDA error.
class GpuMemory {
 public:
  GpuMemory(const void* from, std::size_t bytes, std::size_t offset = 0);
  ~GpuMemory();
  GpuMemory(const GpuMemory&) = delete;
  GpuMemory& operator=(const GpuMemory&) = delete;

  void* data() const { return static_cast<char*>(data_) + offset_; }
  // Waits for all queued work of the device, then copies all bytes to `into`.
  void read(void* into) const;

 private:
  std::size_t bytes_;
  std::size_t offset_;
  void* data_ = nullptr;
};

}  // namespace shardlens::kernels::cuda
