#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace shardlens {

// What serve and follow say to one another (PROTOCOL.md): the length of a body, four bytes
// little-endian, its kind, and the body.
enum class FrameKind : std::uint8_t {
  Hello = 'H',
  Refusal = 'R',
  Alive = 'A',
  File = 'F',
  Meta = 'm',
  Text = 's',
  Spec = 'p',
  Tensors = 't',
  Events = 'e',
  SpanEnd = 'd',
  Value = 'v',
  Bookmarks = 'b',
  FileEnd = 'x',
  RunEnd = 'E',
};

struct Frame {
  FrameKind kind = FrameKind::Alive;
  std::string body;
};

inline constexpr std::size_t kFrameHead = 5;
inline constexpr std::size_t kMostOfHello = std::size_t{1} << 20;
inline constexpr std::size_t kMostOfFrame = std::size_t{1} << 28;

std::string packed(FrameKind kind, std::string_view body = {});
std::size_t bodySize(std::string_view head);  // of a packed frame's first kFrameHead bytes

}  // namespace shardlens
