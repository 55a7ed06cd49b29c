#pragma once

#include <cstdint>
#include <functional>
#include <optional>

namespace shardlens {

// A clock that can be stopped: the nanoseconds that have passed while it ran. For one thread.
class Stopwatch {
 public:
  using Clock = std::function<std::int64_t()>;

  Stopwatch();                      // of the time that passes
  explicit Stopwatch(Clock clock);  // of this one, which says nanoseconds

  std::int64_t now() const { return stoppedAt_.value_or(clock_()) - away_; }
  void stop();
  void go();

 private:
  Clock clock_;
  std::optional<std::int64_t> stoppedAt_;
  std::int64_t away_ = 0;  // what the clock said when it started, and how long it was stopped since
};

}  // namespace shardlens
