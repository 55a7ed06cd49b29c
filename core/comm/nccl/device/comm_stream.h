#pragma once

#include "core/comm/nccl/device/comm_set.h"

#include <vector>

namespace shardlens {

// The streams of one GPU in a collective, and its scratch memory. The computing stream is the
// client's current stream when a function is called. An NCCL call that overlaps with computation
// runs on a separate stream; events order the two, so the CPU waits for neither. begin() to end()
// require that device() is current. Keeps references to `cuda` and `commSet`. Destroy it only when
// its work has run, because that frees the scratch memory. Functions throw NcclFailed on a CUDA
// error.
class CommStream {
 public:
  CommStream(const CudaApi& cuda, NcclCommSet& commSet, int device);
  ~CommStream();
  CommStream(const CommStream&) = delete;
  CommStream& operator=(const CommStream&) = delete;

  int device() const { return device_; }

  // Starts a collective: makes all scratch memory available again, after the previous collective
  // has used it.
  void begin();
  // Selects stream(). With `overlaps` it is the separate stream, which waits for all work queued on
  // the computing stream so far; else it is the computing stream.
  void open(bool overlaps);
  // Returns the stream for NCCL calls between open() and close().
  cudaStream_t stream() const { return open_; }
  // Ends the work on stream().
  void close();
  // Makes the computing stream wait for the work up to the last close().
  void join();
  // Allocates scratch memory, aligned to 512 bytes, that is valid until the next begin(). Keeps
  // allocations for reuse.
  void* allocate(std::int64_t bytes);
  // Enqueues copies on the computing stream, in one launch if the client's hook does so. Skips
  // copies of a block to itself, and repeated copies to one block. No other blocks overlap.
  void copy(std::vector<BlockCopy> copies);
  // Ends the collective, on the computing stream.
  void end();

  // Marks the work queued on the computing stream so far, for isDone(). Requires that device() is
  // current.
  void mark();
  // Returns true once all work up to the last mark(), or close() of overlapping work, has run; also
  // before the first. Throws NcclFailed on a CUDA error.
  bool isDone() const;

 private:
  struct Chunk {
    char* data;
    std::int64_t bytes;
    std::int64_t used;
  };

  bool usesScratch() const;
  void record(cudaEvent_t& event, cudaStream_t stream);
  cudaStream_t computing() const { return commSet_.computingStream(device_); }

  const CudaApi& cuda_;
  NcclCommSet& commSet_;
  int device_;
  cudaStream_t separate_ = nullptr;
  cudaStream_t open_ = nullptr;
  bool overlaps_ = false;
  // Created when they are first recorded. Not timed, because a timed event takes longer.
  cudaEvent_t ready_ = nullptr;
  cudaEvent_t done_ = nullptr;
  cudaEvent_t scratchRead_ = nullptr;
  std::vector<Chunk> chunks_;
  cudaStream_t endedOn_ = nullptr;  // the computing stream of scratchRead_
};

}  // namespace shardlens
