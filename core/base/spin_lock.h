#pragma once

#include <atomic>
#include <thread>

namespace shardlens {

// A lock for critical sections of a few instructions. Cheaper than std::mutex when it is rarely
// contended. lock() yields in a loop; for long waits combine it with std::condition_variable_any.
// Not recursive; has no try_lock().
class SpinLock {
 public:
  void lock() {  // NOLINT(readability-identifier-naming): named as in std::mutex
    while (isTaken_.test_and_set(std::memory_order_acquire)) std::this_thread::yield();
  }
  void unlock() { isTaken_.clear(std::memory_order_release); }  // NOLINT: likewise

 private:
  std::atomic_flag isTaken_ = ATOMIC_FLAG_INIT;
};

}  // namespace shardlens
