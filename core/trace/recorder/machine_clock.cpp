#include "core/trace/recorder/machine_clock.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <limits>
#include <system_error>

#ifdef __linux__
#include <sys/timex.h>
#endif

namespace shardlens {
namespace {

template <class Clock>
std::int64_t nowOf() {
  const auto now = Clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

// Returns the kernel's bound on the error of the wall clock; nullopt if no daemon synchronises it.
std::optional<std::int64_t> wallError() {
#ifdef __linux__
  timex state{};
  const bool isSynchronised = adjtimex(&state) != -1 && (state.status & STA_UNSYNC) == 0;
  if (isSynchronised) return std::int64_t{state.maxerror} * 1000;
#endif
  return std::nullopt;
}

}  // namespace

std::string machineClockId() {
  std::string id;
  std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), id);
  std::error_code code;
  const auto space = std::filesystem::read_symlink("/proc/self/ns/time", code);
  return id.empty() || code ? id : id + " " + space.string();
}

ClockAnchor clockAnchor(std::int64_t at) {
  constexpr int kReadings = 5;  // the quickest one counts
  ClockAnchor anchor{.at = at};
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  const std::int64_t first = nowOf<std::chrono::steady_clock>();
  for (int i = 0; i < kReadings; ++i) {
    const std::int64_t before = nowOf<std::chrono::steady_clock>();
    const std::int64_t wall = nowOf<std::chrono::system_clock>();
    const std::int64_t took = nowOf<std::chrono::steady_clock>() - before;
    if (took >= least) continue;
    least = took;
    anchor.monotonic = before + took / 2;
    anchor.wall = wall;
  }
  anchor.at += anchor.monotonic - first;
  anchor.error = wallError();
  if (anchor.error) *anchor.error += least;
  return anchor;
}

}  // namespace shardlens
