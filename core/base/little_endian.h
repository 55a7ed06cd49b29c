#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace shardlens {

// Returns the unsigned number whose bytes these are, the least significant first. Requires at most
// 8 bytes; returns 0 for none.
inline std::uint64_t littleEndian(std::span<const std::byte> bytes) {
  std::uint64_t number = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) {
    number = number << 8U | std::to_integer<std::uint64_t>(bytes[i]);
  }
  return number;
}
inline std::uint64_t littleEndian(std::string_view bytes) {
  return littleEndian(std::as_bytes(std::span(bytes)));
}

}  // namespace shardlens
