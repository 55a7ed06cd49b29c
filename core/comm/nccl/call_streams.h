#pragma once

#include <c10/core/Device.h>
#include <c10/core/Stream.h>

#include <functional>
#include <vector>

namespace shardlens {

// The streams that are current on some GPUs when a collective is called. torch's allocator reuses
// the memory of the collective in the order of these streams, so that all work on it is queued on
// them, even if others are current later.
class CallStreams {
 public:
  // Ignores duplicates and the CPU.
  explicit CallStreams(const std::vector<at::Device>& devices);

  // Queues work with these streams as the current ones. Then makes the streams that are current now
  // wait for it.
  void queue(const std::function<void()>& work) const;

 private:
  std::vector<c10::Stream> streams_;
};

}  // namespace shardlens
