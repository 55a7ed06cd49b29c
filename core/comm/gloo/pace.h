#pragma once

#include <chrono>
#include <string>

namespace shardlens {

// How often the processes of a run tell of themselves, and after how many beats without what was
// expected something is said. A process that dies is noticed at once, for its links close; one that
// is stopped, or whose host is gone, only by its silence.
constexpr std::chrono::milliseconds kBeat{250};
constexpr int kBeatsUntilStalled = 2;
constexpr int kBeatsUntilFailed = 4;
constexpr int kBeatsUntilLate = 12;
constexpr int kBeatsUntilSilent = 12;

inline std::string secondsText(int beats) {
  return std::to_string(beats * kBeat.count() / 1000) + " s";
}

}  // namespace shardlens
