#include "core/trace/recorder/stopwatch.h"

#include <chrono>

namespace shardlens {
namespace {

std::int64_t passed() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

}  // namespace

Stopwatch::Stopwatch() : Stopwatch(passed) {}

Stopwatch::Stopwatch(Clock clock) : clock_(std::move(clock)), away_(clock_()) {}

void Stopwatch::stop() {
  if (!stoppedAt_) stoppedAt_ = clock_();
}

void Stopwatch::go() {
  if (!stoppedAt_) return;
  away_ += clock_() - *stoppedAt_;
  stoppedAt_.reset();
}

}  // namespace shardlens
