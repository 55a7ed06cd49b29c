#pragma once

#include "kernels/cuda/stream.h"

#include <cstdint>
#include <optional>

namespace shardlens::kernels::cuda {

// Measures with GPU events how long a stream takes for the work that is queued between two points.
// No function waits for the stream or delays it. All throw if CUDA reports an error.
class Timer {
 public:
  // Starts timing.
  explicit Timer(Stream stream);
  ~Timer();
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

  // Stops timing.
  void stop();
  // Returns nullopt until stop() was called and the stream has passed that point.
  std::optional<std::int64_t> nanoseconds() const;

 private:
  Stream stream_;
  CUevent_st* begin_ = nullptr;
  CUevent_st* end_ = nullptr;
  bool stopped_ = false;
};

}  // namespace shardlens::kernels::cuda
