#pragma once

#include "core/comm/nccl/device/comm_set.h"

#include <vector>

namespace shardlens {

// The CUDA stream of one NCCL rank's communication, and the scratch memory of a collective. The
// computing stream is the stream that is current when a function is called. Events order the two
// streams, so the CPU waits for neither.
class CommStream {
 public:
  CommStream(const CudaApi& cuda, NcclCommSet& commSet, int device);
  ~CommStream();
  CommStream(const CommStream&) = delete;
  CommStream& operator=(const CommStream&) = delete;

  int device() const { return device_; }
  cudaStream_t stream() const { return stream_; }

  // Record the start and the end time of a collective on the computing stream.
  void begin();
  void end();
  // open() makes stream() wait for all work queued on the computing stream so far. close() marks
  // the end of the work on stream().
  void open();
  void close();
  // Makes the computing stream wait for the work up to the last close().
  void join();
  // Return true once all work up to the last close(), or end(), has run; also before the first.
  // Throw NcclFailed on a CUDA error.
  bool isClosed() const { return isComplete(done_); }
  bool isDone() const { return isComplete(ended_); }
  // Returns the time from the last begin() to its end(), or 0 before the first. Requires isDone().
  double seconds() const;

  // Returns scratch memory, aligned to 512 bytes, that is valid until releaseAll(). releaseAll()
  // keeps the allocations for reuse. Both are safe while work is queued, because the streams order
  // it.
  void* allocate(std::int64_t bytes);
  void releaseAll();
  // Enqueues copies on the computing stream, in one launch if the client's hook does so. Skips
  // copies of a block to itself, and repeated copies to one block. No other blocks overlap.
  void copy(std::vector<BlockCopy> copies);

 private:
  struct Chunk {
    char* data;
    std::int64_t bytes;
    std::int64_t used;
  };

  bool isComplete(cudaEvent_t event) const;
  cudaStream_t computing() const { return commSet_.computingStream(device_); }

  const CudaApi& cuda_;
  NcclCommSet& commSet_;
  int device_;
  cudaStream_t stream_ = nullptr;
  cudaEvent_t begun_ = nullptr;
  cudaEvent_t ready_ = nullptr;
  cudaEvent_t done_ = nullptr;
  cudaEvent_t ended_ = nullptr;
  bool used_ = false;
  std::vector<Chunk> chunks_;
};

}  // namespace shardlens
