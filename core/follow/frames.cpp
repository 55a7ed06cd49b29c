#include "core/follow/frames.h"

namespace shardlens {

std::string packed(FrameKind kind, std::string_view body) {
  std::string frame;
  frame.reserve(kFrameHead + body.size());
  for (int i = 0; i < 4; ++i) frame += static_cast<char>(body.size() >> (8 * i) & 0xff);
  frame += static_cast<char>(kind);
  return frame.append(body);
}

std::size_t bodySize(std::string_view head) {
  std::size_t size = 0;
  for (std::size_t i = 4; i-- > 0;) size = size << 8 | static_cast<std::uint8_t>(head[i]);
  return size;
}

}  // namespace shardlens
