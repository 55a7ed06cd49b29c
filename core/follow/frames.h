#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace shardlens {

// The kind of a frame. A frame is a message between serve and follow (PROTOCOL.md): the length of
// the body (4 bytes, little-endian), the kind (1 byte), and the body.
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

// The size in bytes of a frame's head: the length and the kind.
inline constexpr std::size_t kFrameHead = 5;
// The size in bytes of the longest body that a receiver accepts: of a Hello, and of any other
// frame.
inline constexpr std::size_t kMostOfHello = std::size_t{1} << 20;
inline constexpr std::size_t kMostOfFrame = std::size_t{1} << 28;

// Returns an encoded frame, head and body. The body must be shorter than 4 GiB.
std::string packed(FrameKind kind, std::string_view body = {});
// Returns the length of the body from the head of a frame. `head` must have at least 4 bytes.
std::size_t bodySize(std::string_view head);

}  // namespace shardlens
