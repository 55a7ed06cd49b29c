#include "core/model/byte_count.h"

#include <fmt/core.h>

#include <array>
#include <cmath>

namespace shardlens {

std::string byteCountText(std::int64_t bytes) {
  constexpr std::int64_t kStep = 1024;
  if (bytes < kStep) return std::to_string(bytes) + " B";
  constexpr std::array<const char*, 4> kUnits{"KiB", "MiB", "GiB", "TiB"};
  auto value = static_cast<double>(bytes) / kStep;
  std::size_t unit = 0;
  // Round before choosing the unit: 1023.96 KiB must not become "1024.0 KiB".
  while (std::llround(value * 10) >= 10 * kStep && unit + 1 < kUnits.size()) {
    value /= kStep;
    ++unit;
  }
  const auto tenths = std::llround(value * 10);
  return fmt::format("{}.{} {}", tenths / 10, tenths % 10, kUnits[unit]);
}

}  // namespace shardlens
