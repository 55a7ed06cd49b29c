#include "core/memory/gpu_reserve.h"

#include "core/memory/gpu_scope.h"
#include "kernels/cuda/memory.h"
#include "shardlens_gpu_build.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <mutex>

namespace shardlens {

#ifdef SHARDLENS_WITH_CUDA

namespace {

// The memory of a GPU that was noted or reserved.
class KnownMemory {
 public:
  bool has(const at::Storage& storage) const {
    const auto* begin = static_cast<const char*>(storage.data());
    const auto next = ends_.upper_bound(begin);
    return next != ends_.begin() && begin < std::prev(next)->second;
  }
  void add(const at::Storage& storage) {
    const auto* begin = static_cast<const char*>(storage.data());
    ends_[begin] = begin + storage.nbytes();
    bytes_ += static_cast<std::int64_t>(storage.nbytes());
  }
  std::int64_t bytes() const { return bytes_; }

 private:
  std::map<const char*, const char*> ends_;  // by begin
  std::int64_t bytes_ = 0;
};

}  // namespace

void reserveAfter(const at::Tensor& tensor) {
  constexpr std::int64_t kLeast = std::int64_t{64} << 20;
  constexpr std::int64_t kMost = std::int64_t{1} << 30;
  static std::mutex mutex;
  static std::map<at::DeviceIndex, KnownMemory> known;
  if (!tensor.is_cuda() || tensor.storage().nbytes() < kLargeOnGpu) return;
  const std::lock_guard lock(mutex);
  auto& memory = known[tensor.device().index()];
  if (memory.has(tensor.storage())) return;
  memory.add(tensor.storage());
  const GpuScope gpu(tensor);
  const std::int64_t bytes =
      std::min(std::clamp(memory.bytes(), kLeast, kMost), kernels::cuda::freeMemory() / 4);
  if (bytes < kLeast) return;
  const auto block = at::empty({bytes}, tensor.options().dtype(at::kByte));
  memory.add(block.storage());  // the allocator caches it from here on
}

#else

void reserveAfter(const at::Tensor&) {}

#endif

}  // namespace shardlens
