#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardlens {

// One reading of a process's clocks at the same moment. All times are in nanoseconds.
struct ClockAnchor {
  std::int64_t at = 0;         // since the recording began
  std::int64_t monotonic = 0;  // the monotonic clock of the machine
  std::int64_t wall = 0;       // since 1970, UTC
  // `wall` differs from UTC by at most this; nullopt if the wall clock is not synchronised.
  std::optional<std::int64_t> error = {};
  bool operator==(const ClockAnchor&) const = default;
};

// The metadata "clock" of a process.
struct ClockRecord {
  // Identifies the monotonic clock: processes with the same text read the same clock.
  std::string id = {};
  std::vector<ClockAnchor> anchors = {};  // the first one and the newest one, at least one
  bool operator==(const ClockRecord&) const = default;
};

// The metadata key.
inline constexpr std::string_view kClockKey = "clock";

// Convert a record to and from the JSON of the metadata. readClock() returns nullopt for "" and for
// malformed text, and if a time is negative or too large to compute with: `at` and `monotonic`
// above 2^59, `wall` and `error` above 2^61.
std::string clockText(const ClockRecord& clock);
std::optional<ClockRecord> readClock(std::string_view text);

}  // namespace shardlens
