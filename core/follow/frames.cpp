#include "core/follow/frames.h"

#include "core/base/little_endian.h"

namespace shardlens {

std::string packed(FrameKind kind, std::string_view body) {
  std::string frame;
  frame.reserve(kFrameHead + body.size());
  for (int i = 0; i < 4; ++i) frame += static_cast<char>(body.size() >> (8 * i) & 0xff);
  frame += static_cast<char>(kind);
  return frame.append(body);
}

std::size_t bodySize(std::string_view head) { return littleEndian(head.substr(0, 4)); }

}  // namespace shardlens
