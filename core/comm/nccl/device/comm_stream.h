#pragma once

#include "core/comm/nccl/device/comm_set.h"

#include <vector>

namespace shardlens {

// The stream on which a seat's communication runs, beside the stream that computes: the one that is
// current when each function is called. What is sent has been computed first, what is received is
// used afterwards, and the processor waits for neither. Also the memory that a collective needs
// between.
class CommStream {
 public:
  CommStream(const CudaApi& cuda, NcclCommSet& commSet, int device);
  ~CommStream();
  CommStream(const CommStream&) = delete;
  CommStream& operator=(const CommStream&) = delete;

  int device() const { return device_; }
  cudaStream_t stream() const { return stream_; }

  // Around a collective on the computing stream.
  void begin();
  void end();
  // What is put on stream() between these runs after all that the GPU was given to compute before.
  void open();
  void close();
  // And before all that it is given from here on.
  void join();
  // Whether all up to the last close(), or end(), has run; throws NcclFailed where it cannot.
  bool isClosed() const { return hasCome(done_); }
  bool isDone() const { return hasCome(ended_); }
  double seconds() const;  // from the last begin() to its end(); once done

  // Memory until the next open collective takes some; its contents are the stream's.
  void* take(std::int64_t bytes);
  void takeBackAll();
  // On the computing stream.
  void copy(void* to, const void* from, std::int64_t bytes);

 private:
  struct Chunk {
    char* data;
    std::int64_t bytes;
    std::int64_t used;
  };

  bool hasCome(cudaEvent_t event) const;
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
