#include "core/view/words/units.h"

#include "core/model/byte_count.h"

#include <fmt/core.h>

#include <array>
#include <cmath>

namespace shardlens::view {

namespace {

std::string scaled(double microseconds) {
  static constexpr std::array<const char*, 3> kUnits = {"us", "ms", "s"};
  std::size_t unit = 0;
  for (; microseconds >= 999.95 && unit + 1 < kUnits.size(); ++unit) microseconds /= 1e3;
  return fmt::format("{:.1f} {}", microseconds, kUnits.at(unit));  // independent of the locale
}

// Returns the difference of neighbouring ranks if it is the same for all of at least 5; else 0.
int strideOf(const std::vector<int>& ranks) {
  if (ranks.size() < 5) return 0;
  const int stride = ranks[1] - ranks[0];
  for (std::size_t i = 2; i < ranks.size(); ++i) {
    if (ranks[i] - ranks[i - 1] != stride) return 0;
  }
  return stride;
}

}  // namespace

std::string durationText(std::int64_t nanoseconds) {
  if (nanoseconds < 0) return "not finished";
  if (nanoseconds < 1000) return std::to_string(nanoseconds) + " ns";
  return scaled(static_cast<double>(nanoseconds) / 1e3);
}

std::string microsecondsText(double microseconds) {
  constexpr double kMost = 1e15;
  return scaled(microseconds >= 0 ? std::fmin(microseconds, kMost) : 0);
}

std::string estimatedBytesText(double bytes) {
  constexpr double kMost = 1e18;
  return byteCountText(bytes >= 0 ? std::llround(std::fmin(bytes, kMost)) : 0);
}

std::string plural(std::int64_t count, std::string_view one) {
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

std::string timesText(std::int64_t count) {
  return count == 1 ? "once" : std::to_string(count) + " times";
}

std::string agoText(std::int64_t events) { return plural(events, "event") + " ago"; }

std::string ranksLabel(const std::vector<int>& ranks) {
  if (ranks.size() == 1) return "rank " + std::to_string(ranks.front());
  if (const int stride = strideOf(ranks); stride > 1) {
    return fmt::format("ranks {}–{} (stride {})", ranks.front(), ranks.back(), stride);
  }
  std::string text;
  for (std::size_t first = 0; first < ranks.size();) {
    std::size_t last = first;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
    if (last == first + 1) last = first;  // two ranks in a row are listed
    text += (text.empty() ? "ranks " : ", ") + std::to_string(ranks[first]);
    if (last != first) text += fmt::format("–{}", ranks[last]);
    first = last + 1;
  }
  return text;
}

}  // namespace shardlens::view
