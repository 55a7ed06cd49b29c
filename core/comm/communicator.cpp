#include "core/comm/communicator.h"

#include "core/memory/reduce.h"

namespace shardlens {

void reduceInto(const at::Tensor& into, const Buffers& addends, Reduction reduction) {
  reduceAll({{addends, {into}}}, reduction);
}

std::int64_t bytesOf(const Buffers& buffers) {
  std::int64_t bytes = 0;
  for (const auto& buffer : buffers) {
    if (buffer.defined()) bytes += static_cast<std::int64_t>(buffer.nbytes());
  }
  return bytes;
}

std::int64_t bytesOf(const BufferLists& lists) {
  std::int64_t bytes = 0;
  for (const auto& list : lists) bytes += bytesOf(list);
  return bytes;
}

}  // namespace shardlens
