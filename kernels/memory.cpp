#include "kernels/memory.h"

#include "kernels/stream.h"

namespace shardlens::kernels {
namespace {

// Calls small(offset, bytes) for what stands before the first and after the last unit, and
// large(offset, bytes) for what is between.
template <class Small, class Large>
void inUnits(const void* to, std::int64_t count, Small small, Large large) {
  const auto bytes = static_cast<std::size_t>(count);
  if (bytes < kStreamFrom) return small(0, bytes);
  const std::size_t head =
      (kStreamUnit - reinterpret_cast<std::uintptr_t>(to) % kStreamUnit) % kStreamUnit;
  const std::size_t body = (bytes - head) / kStreamUnit * kStreamUnit;
  small(0, head);
  large(head, body);
  small(head + body, bytes - head - body);
  drain();
}

}  // namespace

void zeroMemory(void* to, std::int64_t bytes) {
  auto* out = static_cast<std::byte*>(to);
  inUnits(
      to, bytes, [&](std::size_t at, std::size_t n) { std::memset(out + at, 0, n); },
      [&](std::size_t at, std::size_t n) { streamZeros(out + at, n); });
}

void copyMemory(void* to, const void* from, std::int64_t bytes) {
  auto* out = static_cast<std::byte*>(to);
  const auto* in = static_cast<const std::byte*>(from);
  inUnits(
      to, bytes, [&](std::size_t at, std::size_t n) { std::memcpy(out + at, in + at, n); },
      [&](std::size_t at, std::size_t n) { streamPiece(out + at, in + at, n); });
}

}  // namespace shardlens::kernels
