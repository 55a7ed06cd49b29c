#pragma once

#include "kernels/cuda/stream.h"

#include <cstdint>
#include <optional>

namespace shardlens::kernels::cuda {

// The time that a stream takes for what is queued between two points, by the GPU's own clock. It
// neither waits for the stream nor makes the stream wait.
class Timer {
 public:
  // From here on.
  explicit Timer(Stream stream);
  ~Timer();
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

  // To here.
  void stop();
  // None while the stream is not there yet.
  std::optional<std::int64_t> nanoseconds() const;

 private:
  Stream stream_;
  CUevent_st* begin_ = nullptr;
  CUevent_st* end_ = nullptr;
  bool stopped_ = false;
};

}  // namespace shardlens::kernels::cuda
