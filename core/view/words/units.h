#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace shardlens::view {

// Formats quantities for the command line and the window. For exact byte counts, see
// byteCountText().

// Returns "120 ns", "8.6 us", "1.4 ms", "2.0 s", as torch.profiler does; "not finished" for a
// negative value.
std::string durationText(std::int64_t nanoseconds);
std::string microsecondsText(double microseconds);  // for estimates; never in ns
std::string estimatedBytesText(double bytes);       // for estimates; rounded to bytes

std::string plural(std::int64_t count, std::string_view one);  // "1 rank", "2 ranks"
std::string timesText(std::int64_t count);                     // "once", "3 times"
std::string agoText(std::int64_t events);                      // "14 events ago"
// Labels ascending ranks: "rank 2", "ranks 0, 1", "ranks 0–3, 5"; "" without ranks. Five or more
// ranks with equal differences are "ranks 1–63 (stride 2)".
std::string ranksLabel(const std::vector<int>& ranks);

}  // namespace shardlens::view
