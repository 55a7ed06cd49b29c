#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace shardlens::view {

// How quantities are written, on the command line as in the window. Bytes are byteCountText()'s.

// "120 ns", "8.6 us", "1.4 ms", "2.0 s", as torch.profiler has it; "not finished" below 0.
std::string durationText(std::int64_t nanoseconds);
std::string microsecondsText(double microseconds);  // of an estimate: never in ns
std::string estimatedBytesText(double bytes);       // to the byte

std::string plural(std::int64_t count, std::string_view one);  // "1 rank", "2 ranks"
std::string timesText(std::int64_t count);                     // "once", "3 times"
std::string agoText(std::int64_t events);                      // "14 events ago"
std::string ranksLabel(const std::vector<int>& ranks);  // "rank 2", "ranks 0–3", "ranks 0, 2"

}  // namespace shardlens::view
