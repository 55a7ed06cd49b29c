#include "core/trace/merge/in_parallel.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace shardlens {

void inParallel(std::size_t count, const std::function<void(std::size_t)>& work,
                const Progress& progress) {
  std::atomic<std::size_t> next = 0;
  std::size_t done = 0;
  std::size_t working =
      std::min<std::size_t>(count, std::max(1U, std::thread::hardware_concurrency()));
  std::mutex guard;
  std::condition_variable hasWorked;
  std::exception_ptr failure;
  const auto run = [&] {
    try {
      for (std::size_t i = next++; i < count; i = next++) {
        work(i);
        const std::lock_guard lock(guard);
        ++done;
        hasWorked.notify_one();
      }
    } catch (...) {
      const std::lock_guard lock(guard);
      if (!failure) failure = std::current_exception();
      next = count;
    }
    const std::lock_guard lock(guard);
    --working;
    hasWorked.notify_one();
  };
  std::vector<std::jthread> threads;
  for (std::size_t i = working; i > 0; --i) threads.emplace_back(run);
  std::unique_lock lock(guard);
  try {
    for (std::size_t seen = 0; working > 0;) {
      hasWorked.wait(lock, [&] { return done != seen || working == 0; });
      seen = done;
      if (!progress) continue;
      lock.unlock();
      progress(static_cast<double>(seen) / static_cast<double>(count));
      lock.lock();
    }
  } catch (...) {
    next = count;  // the threads end with the work in progress
    throw;
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace shardlens
