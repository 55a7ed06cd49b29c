#pragma once

#include <cstdint>
#include <functional>
#include <optional>

namespace shardlens {

// A clock that can be stopped: counts the nanoseconds while it runs. Starts running. Not thread
// safe.
class Stopwatch {
 public:
  using Clock = std::function<std::int64_t()>;

  Stopwatch();                      // uses the steady clock
  explicit Stopwatch(Clock clock);  // `clock` returns nanoseconds

  // Returns the nanoseconds that it ran; constant while it is stopped.
  std::int64_t now() const { return stoppedAt_.value_or(clock_()) - away_; }
  // No effect if it is stopped already; go() has none if it is running.
  void stop();
  void go();

 private:
  Clock clock_;
  std::optional<std::int64_t> stoppedAt_;
  std::int64_t away_ = 0;  // the clock at the start, plus the time spent stopped
};

}  // namespace shardlens
