#pragma once

#include <atomic>
#include <thread>

namespace shardlens {

// A lock for a few instructions at a time, which costs less than a std::mutex where it is nearly
// always free. Who waits for long waits on a std::condition_variable_any.
class SpinLock {
 public:
  void lock() {  // NOLINT(readability-identifier-naming): as std::mutex's
    while (isTaken_.test_and_set(std::memory_order_acquire)) std::this_thread::yield();
  }
  void unlock() { isTaken_.clear(std::memory_order_release); }  // NOLINT: likewise

 private:
  std::atomic_flag isTaken_ = ATOMIC_FLAG_INIT;
};

}  // namespace shardlens
