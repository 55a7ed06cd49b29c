#pragma once

#include "kernels/cuda/stream.h"

#include <cstdint>
#include <optional>

namespace shardlens::kernels::cuda {

// A timer of the work that is queued on a stream between two points, measured with GPU events. No
// function waits for the stream or delays it. All but the destructor throw std::runtime_error if
// CUDA reports an error. The stream must be of the current device and outlive the timing.
class Timer {
 public:
  // Starts timing.
  explicit Timer(Stream stream);
  ~Timer();
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

  // Stops timing. A second call moves the end.
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
