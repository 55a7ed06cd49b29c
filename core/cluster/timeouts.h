#pragma once

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string>

namespace shardlens {

// The interval of heartbeats, and the number of them after which a wait has consequences. A process
// that dies is noticed at once, because its connections close. A process that is stopped, or whose
// host is gone, is noticed only by missing heartbeats.
constexpr std::chrono::milliseconds kHeartbeatInterval{250};

// Returns the interval times SHARDLENS_PATIENCE, a factor for machines that are too busy to answer
// in time: 1 if the variable is not set or less, at most 100. Read once; all processes of a run
// need the same factor.
inline std::chrono::milliseconds heartbeatInterval() {
  static const auto interval = [] {
    const char* factor = std::getenv("SHARDLENS_PATIENCE");
    return kHeartbeatInterval * std::clamp(factor == nullptr ? 1 : std::atoi(factor), 1, 100);
  }();
  return interval;
}

// After these many, a waiting process examines the other process and posts its pending messages.
constexpr int kHeartbeatsUntilStalled = 2;
// After these many, it accepts that a process refused the step.
constexpr int kHeartbeatsUntilFailed = 4;
// After these many, it warns about a late process, or concludes that it continued without this one.
constexpr int kHeartbeatsUntilLate = 12;
// After these many without a new heartbeat, it declares the other process as hanging.
constexpr int kHeartbeatsUntilSilent = 12;

// Returns the duration of so many heartbeats, as "3 s".
inline std::string secondsText(int beats) {
  return std::to_string(beats * heartbeatInterval().count() / 1000) + " s";
}

}  // namespace shardlens
