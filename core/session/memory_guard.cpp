#include "core/session/memory_guard.h"

#include "core/base/refusal.h"
#include "core/session/free_memory.h"

#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>
#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <mutex>

namespace shardlens {
namespace {

// Forwards to libtorch's allocator, checking freeMemory() once per 64 MiB.
class Guarded final : public c10::Allocator {
 public:
  explicit Guarded(c10::Allocator& own) : own_(own) {}

  c10::DataPtr allocate(std::size_t bytes) override {
    if (bytes >= kUnchecked || (unchecked_ += bytes) >= kUnchecked) {
      unchecked_ = 0;
      refuseTooLarge(bytes);
    }
    return own_.allocate(bytes);
  }
  c10::DeleterFnPtr raw_deleter() const override { return own_.raw_deleter(); }
  void copy_data(void* to, const void* from, std::size_t bytes) const override {
    own_.copy_data(to, from, bytes);
  }

 private:
  // Bytes that are allocated between checks. Reading freeMemory() is cheap compared to writing
  // them.
  static constexpr std::size_t kUnchecked = std::size_t{64} << 20;

  static void refuseTooLarge(std::size_t bytes) {
    const std::size_t free = freeMemory();
    const std::size_t most = free - std::min(free, kUnchecked);
    if (bytes <= most) return;
    throw Refusal(fmt::format(
        "got a tensor of {} bytes, expected at most {}, which are free on this machine; "
        "a dry run needs none",
        bytes, most));
  }

  c10::Allocator& own_;
  std::atomic<std::size_t> unchecked_ = 0;
};

}  // namespace

void guardMemory() {
  static std::once_flag once;
  std::call_once(once, [] {
    // Never destroyed, because destructors that run after main() may still allocate.
    static auto* const guarded = new Guarded(*c10::GetCPUAllocator());
    c10::SetCPUAllocator(guarded, /*priority=*/1);
  });
}

}  // namespace shardlens
