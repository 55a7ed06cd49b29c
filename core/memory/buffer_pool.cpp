#include "core/memory/buffer_pool.h"

#include <ATen/ATen.h>
#include <ATen/EmptyTensor.h>

#include <cstdlib>
#include <mutex>
#include <new>
#include <sys/mman.h>
#include <unordered_map>
#include <vector>

namespace shardlens {
namespace {

// Caches freed CPU blocks by size. Thread-safe.
class BufferPool final : public c10::Allocator {
 public:
  c10::DataPtr allocate(std::size_t bytes) override {
    void* block = take((bytes + kPage - 1) / kPage * kPage);
    return {block, block, &giveBackToShared, c10::Device(c10::kCPU)};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &giveBackToShared; }
  void copy_data(void* to, const void* from, std::size_t bytes) const override {
    default_copy_data(to, from, bytes);
  }

  std::size_t keptBytes() const {
    const std::lock_guard lock(mutex_);
    return keptBytes_;
  }

  // Returns the pool of the process. It is never destroyed, because tensors may outlive other
  // statics.
  static BufferPool& shared() {
    static auto* pool = new BufferPool();
    return *pool;
  }

 private:
  struct Kept {
    void* block;
    std::size_t bytes;
  };
  static constexpr std::size_t kPage = std::size_t{2} << 20;  // size of a huge page

  static void giveBackToShared(void* block) { shared().giveBack(block); }

  void* take(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    for (auto it = kept_.rbegin(); it != kept_.rend(); ++it) {
      if (it->bytes != bytes) continue;
      void* block = it->block;
      kept_.erase(std::next(it).base());
      keptBytes_ -= bytes;
      inUse_.emplace(block, bytes);
      return block;
    }
    void* block = std::aligned_alloc(kPage, bytes);
    if (block == nullptr) throw std::bad_alloc();
    madvise(block, bytes, MADV_HUGEPAGE);
    inUse_.emplace(block, bytes);
    return block;
  }

  void giveBack(void* block) {
    const std::lock_guard lock(mutex_);
    const auto returned = inUse_.extract(block);
    kept_.push_back({block, returned.mapped()});
    keptBytes_ += returned.mapped();
    auto longestUnused = kept_.begin();
    for (; keptBytes_ > kKeptAtMost; ++longestUnused) {
      keptBytes_ -= longestUnused->bytes;
      std::free(longestUnused->block);
    }
    kept_.erase(kept_.begin(), longestUnused);
  }

  mutable std::mutex mutex_;
  std::unordered_map<void*, std::size_t> inUse_;
  std::vector<Kept> kept_;  // least recently used first
  std::size_t keptBytes_ = 0;
};

std::size_t bytesFor(at::IntArrayRef shape, const at::TensorOptions& options) {
  std::size_t bytes = options.dtype().itemsize();
  for (const auto size : shape) bytes *= static_cast<std::size_t>(size);
  return bytes;
}

}  // namespace

at::Tensor emptyBuffer(at::IntArrayRef shape, const at::TensorOptions& options) {
  if (!options.device().is_cpu() || bytesFor(shape, options) < kPooledFrom) {
    return at::empty(shape, options);
  }
  return at::detail::empty_generic(shape, &BufferPool::shared(),
                                   c10::DispatchKeySet(c10::DispatchKey::CPU),
                                   c10::typeMetaToScalarType(options.dtype()), std::nullopt);
}

std::size_t keptBytes() { return BufferPool::shared().keptBytes(); }

}  // namespace shardlens
