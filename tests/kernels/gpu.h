#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace shardlens::kernels::cuda {

// Why there is nothing to be run on; none where there is a GPU.
std::optional<std::string> whyNoGpu();

// Memory of the GPU's, filled from the processor's, which begins so many bytes behind an aligned
// address.
class GpuMemory {
 public:
  GpuMemory(const void* from, std::size_t bytes, std::size_t offset = 0);
  ~GpuMemory();
  GpuMemory(const GpuMemory&) = delete;
  GpuMemory& operator=(const GpuMemory&) = delete;

  void* data() const { return static_cast<char*>(data_) + offset_; }
  // Waits for all that is queued.
  void read(void* into) const;

 private:
  std::size_t bytes_;
  std::size_t offset_;
  void* data_ = nullptr;
};

}  // namespace shardlens::kernels::cuda
