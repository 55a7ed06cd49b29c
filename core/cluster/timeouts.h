#pragma once

#include <chrono>
#include <string>

namespace shardlens {

// The interval of heartbeats, and the number of them after which a wait has consequences. A process
// that dies is noticed at once, because its connections close. A process that is stopped, or whose
// host is gone, is noticed only by missing heartbeats.
constexpr std::chrono::milliseconds kHeartbeatInterval{250};
// Begin to examine the other process and to post the pending messages.
constexpr int kHeartbeatsUntilStalled = 2;
// Accept that a process refused the step.
constexpr int kHeartbeatsUntilFailed = 4;
// Warn about a late process, or conclude that it continued without this one.
constexpr int kHeartbeatsUntilLate = 12;
// Declare a process without new heartbeats as hanging.
constexpr int kHeartbeatsUntilSilent = 12;

// Returns the duration of so many heartbeats, as "3 s".
inline std::string secondsText(int beats) {
  return std::to_string(beats * kHeartbeatInterval.count() / 1000) + " s";
}

}  // namespace shardlens
