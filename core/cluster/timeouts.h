#pragma once

#include <chrono>
#include <string>

namespace shardlens {

// How often the processes of a run tell of themselves, and after how many beats without what was
// expected something is said. A process that dies is noticed at once, for its links close; one that
// is stopped, or whose host is gone, only by its silence.
constexpr std::chrono::milliseconds kHeartbeatInterval{250};
constexpr int kHeartbeatsUntilStalled = 2;
constexpr int kHeartbeatsUntilFailed = 4;
constexpr int kHeartbeatsUntilLate = 12;
constexpr int kHeartbeatsUntilSilent = 12;

inline std::string secondsText(int beats) {
  return std::to_string(beats * kHeartbeatInterval.count() / 1000) + " s";
}

}  // namespace shardlens
