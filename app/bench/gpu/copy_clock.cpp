#include "app/bench/gpu/copy_clock.h"

#include <algorithm>

namespace shardlens::bench {
namespace {

constexpr std::int64_t kBytes = std::int64_t{1} << 30;
constexpr std::int64_t kAlignment = 512;

}  // namespace

CopyClock::CopyClock() : from_(gpu_.memory<char>(kBytes)), to_(gpu_.memory<char>(kBytes)) {}

double CopyClock::nanosecondsOf(std::int64_t moved) {
  const auto blocks = std::max<std::int64_t>(moved / 2 / kAlignment, 1);
  const std::int64_t bytes = std::min(blocks * kAlignment, kBytes);
  const auto [known, isNew] = known_.try_emplace(bytes);
  if (isNew) {
    const std::int64_t places = kBytes / bytes;
    known->second = gpu_.nanosecondsOf(static_cast<int>(std::clamp<std::int64_t>(places, 4, 256)),
                                       [&](int round) {
                                         const std::int64_t offset = round % places * bytes;
                                         gpu_.copy(to_ + offset, from_ + offset, bytes);
                                       });
  }
  return known->second;
}

}  // namespace shardlens::bench
