#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace shardlens {

// The frames that serve and follow exchange (PROTOCOL.md): the length of the body (4 bytes,
// little-endian), the kind, and the body.
enum class FrameKind : std::uint8_t {
  Hello = 'H',
  Refusal = 'R',
  Alive = 'A',
  File = 'F',
  Meta = 'm',
  Text = 's',
  Spec = 'p',
  Route = 'r',
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

// Sizes in bytes: of a frame's header, and of the longest accepted body of a Hello and of any other
// frame.
inline constexpr std::size_t kFrameHead = 5;
inline constexpr std::size_t kMostOfHello = std::size_t{1} << 20;
inline constexpr std::size_t kMostOfFrame = std::size_t{1} << 28;

// Returns an encoded frame. The body must be shorter than 4 GiB.
std::string packed(FrameKind kind, std::string_view body = {});
// Reads the length of the body from the first kFrameHead bytes of a frame.
std::size_t bodySize(std::string_view head);

}  // namespace shardlens
