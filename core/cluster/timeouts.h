#pragma once

#include <chrono>
#include <string>

namespace shardlens {

// How often processes post heartbeats, and after how many of them a wait is reported. A process
// that dies is noticed at once, because its connections close; one that is stopped, or whose host
// is gone, only by missing heartbeats.
constexpr std::chrono::milliseconds kHeartbeatInterval{250};
constexpr int kHeartbeatsUntilStalled = 2;
constexpr int kHeartbeatsUntilFailed = 4;
constexpr int kHeartbeatsUntilLate = 12;
constexpr int kHeartbeatsUntilSilent = 12;

inline std::string secondsText(int beats) {
  return std::to_string(beats * kHeartbeatInterval.count() / 1000) + " s";
}

}  // namespace shardlens
