#include "core/comm/nccl/device/comm_stream.h"

#include <algorithm>
#include <functional>

namespace shardlens {
CommStream::CommStream(const CudaApi& cuda, NcclCommSet& commSet, int device)
    : cuda_(cuda), commSet_(commSet), device_(device) {
  const OnDevice current(cuda_, device_);
  // Without the flag it would synchronise with the default stream.
  commSet_.check(cuda_.streamCreateWithFlags(&stream_, cudaStreamNonBlocking),
                 "cudaStreamCreateWithFlags");
  for (auto* event : {&ready_, &done_}) {
    commSet_.check(cuda_.eventCreateWithFlags(event, cudaEventDisableTiming),
                   "cudaEventCreateWithFlags");
  }
  for (auto* event : {&begun_, &ended_}) {
    commSet_.check(cuda_.eventCreateWithFlags(event, cudaEventDefault), "cudaEventCreateWithFlags");
  }
}

CommStream::~CommStream() {
  const OnDevice current(cuda_, device_);
  for (auto* event : {begun_, ready_, done_, ended_}) {
    if (event != nullptr) cuda_.eventDestroy(event);
  }
  if (stream_ != nullptr) cuda_.streamDestroy(stream_);
  for (const auto& chunk : chunks_) cuda_.free(chunk.data);
}

void CommStream::begin() {
  const OnDevice current(cuda_, device_);
  commSet_.check(cuda_.eventRecord(begun_, computing()), "cudaEventRecord");
}

void CommStream::open() {
  const OnDevice current(cuda_, device_);
  commSet_.check(cuda_.eventRecord(ready_, computing()), "cudaEventRecord");
  commSet_.check(cuda_.streamWaitEvent(stream_, ready_, 0), "cudaStreamWaitEvent");
}

void CommStream::close() {
  const OnDevice current(cuda_, device_);
  commSet_.check(cuda_.eventRecord(done_, stream_), "cudaEventRecord");
}

void CommStream::join() {
  const OnDevice current(cuda_, device_);
  commSet_.check(cuda_.streamWaitEvent(computing(), done_, 0), "cudaStreamWaitEvent");
}

void CommStream::end() {
  const OnDevice current(cuda_, device_);
  commSet_.check(cuda_.eventRecord(ended_, computing()), "cudaEventRecord");
  used_ = true;
}

bool CommStream::isComplete(cudaEvent_t event) const {
  const cudaError_t state = cuda_.eventQuery(event);
  if (state == cudaErrorNotReady) {
    cuda_.getLastError();  // clears it; otherwise the next launch would report it
    return false;
  }
  commSet_.check(state, "cudaEventQuery");
  return true;
}

double CommStream::seconds() const {
  float milliseconds = 0;
  if (used_) {
    commSet_.check(cuda_.eventElapsedTime(&milliseconds, begun_, ended_), "cudaEventElapsedTime");
  }
  return milliseconds / 1e3;
}

void* CommStream::allocate(std::int64_t bytes) {
  constexpr std::int64_t kAlignment = 512;
  constexpr std::int64_t kLeast = std::int64_t{1} << 20;
  bytes = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  auto chunk = std::find_if(chunks_.begin(), chunks_.end(),
                            [&](const Chunk& each) { return each.bytes - each.used >= bytes; });
  if (chunk == chunks_.end()) {
    const OnDevice current(cuda_, device_);
    const std::int64_t size = std::max(bytes, kLeast);
    void* data = nullptr;
    commSet_.check(cuda_.malloc(&data, static_cast<std::size_t>(size)), "cudaMalloc");
    chunk = chunks_.insert(chunks_.end(), {static_cast<char*>(data), size, 0});
  }
  void* allocated = chunk->data + chunk->used;
  chunk->used += bytes;
  return allocated;
}

void CommStream::releaseAll() {
  for (auto& chunk : chunks_) chunk.used = 0;
}

void CommStream::copy(std::vector<BlockCopy> copies) {
  std::erase_if(copies,
                [](const BlockCopy& copy) { return copy.to == copy.from || copy.bytes == 0; });
  std::sort(copies.begin(), copies.end(), [](const BlockCopy& one, const BlockCopy& other) {
    return std::less<>()(one.to, other.to);
  });
  const auto haveOneTarget = [](const BlockCopy& one, const BlockCopy& other) {
    return one.to == other.to;
  };
  copies.erase(std::unique(copies.begin(), copies.end(), haveOneTarget), copies.end());
  if (copies.empty()) return;
  const OnDevice current(cuda_, device_);
  if (commSet_.copyBlocks()) return commSet_.copyBlocks()(copies, computing());
  for (const auto& [to, from, bytes] : copies) {
    commSet_.check(cuda_.memcpyAsync(to, from, static_cast<std::size_t>(bytes),
                                     cudaMemcpyDeviceToDevice, computing()),
                   "cudaMemcpyAsync");
  }
}

}  // namespace shardlens
