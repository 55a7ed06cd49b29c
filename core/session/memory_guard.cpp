#include "core/session/memory_guard.h"

#include "core/tensor/refusal.h"

#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <mutex>

namespace shardlens {
namespace {

constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max();

// What Linux could give without taking it from anybody.
std::size_t availableBytes() {
  std::ifstream file("/proc/meminfo");
  for (std::string name, unit; file >> name;) {
    std::size_t number = 0;
    if (name == "MemAvailable:" && file >> number) return number * 1024;
    std::getline(file, unit);
  }
  return kUnlimited;
}

// What a container may have.
std::size_t groupBytes() {
  std::size_t bytes = 0;
  std::ifstream file("/sys/fs/cgroup/memory.max");  // a number, or "max"
  return file >> bytes ? bytes : kUnlimited;
}

class Guarded final : public c10::Allocator {
 public:
  explicit Guarded(c10::Allocator& own) : own_(own) {}

  c10::DataPtr allocate(std::size_t bytes) override {
    constexpr std::size_t kLarge = 1 << 28;  // asking costs nothing beside writing so much
    if (bytes >= kLarge) refuseTooLarge(bytes);
    return own_.allocate(bytes);
  }
  c10::DeleterFnPtr raw_deleter() const override { return own_.raw_deleter(); }
  void copy_data(void* to, const void* from, std::size_t bytes) const override {
    own_.copy_data(to, from, bytes);
  }

 private:
  static void refuseTooLarge(std::size_t bytes) {
    const std::size_t most = std::min(availableBytes(), groupBytes());
    if (bytes <= most) return;
    throw Refusal("got a tensor of " + std::to_string(bytes) + " bytes, expected at most " +
                  std::to_string(most) + ", which are free on this machine; a dry run needs none");
  }

  c10::Allocator& own_;
};

}  // namespace

void guardMemory() {
  static std::once_flag once;
  std::call_once(once, [] {
    // Never destroyed: what ends after main() may still allocate.
    static auto* const guarded = new Guarded(*c10::GetCPUAllocator());
    c10::SetCPUAllocator(guarded, /*priority=*/1);
  });
}

}  // namespace shardlens
