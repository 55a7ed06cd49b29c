#include "kernels/cuda/stream_queue.h"
#include "kernels/cuda/timer.h"

namespace shardlens::kernels::cuda {

Timer::Timer(Stream stream) : stream_(stream) {
  check(cudaEventCreate(&begin_), "event");
  if (const auto status = cudaEventCreate(&end_); status != cudaSuccess) {
    cudaEventDestroy(begin_);
    check(status, "event");
  }
  if (const auto status = cudaEventRecord(begin_, stream_); status != cudaSuccess) {
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
    check(status, "start of a timer");
  }
}

Timer::~Timer() {
  cudaEventDestroy(begin_);
  cudaEventDestroy(end_);
}

void Timer::stop() {
  check(cudaEventRecord(end_, stream_), "end of a timer");
  stopped_ = true;
}

std::optional<std::int64_t> Timer::nanoseconds() const {
  if (!stopped_) return std::nullopt;
  const auto status = cudaEventQuery(end_);
  if (status == cudaErrorNotReady) {
    cudaGetLastError();  // clears the error; otherwise the next kernel would report it
    return std::nullopt;
  }
  check(status, "timer");
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, begin_, end_), "timer");
  return static_cast<std::int64_t>(static_cast<double>(milliseconds) * 1e6);
}

}  // namespace shardlens::kernels::cuda
