#include "core/comm/nccl/lanes.h"

#include <algorithm>

namespace shardlens {
Lane::Lane(const CudaApi& cuda, NcclClique& clique, int device)
    : cuda_(cuda), clique_(clique), device_(device) {
  const OnDevice current(cuda_, device_);
  // Without the flag it would take turns with the default stream.
  clique_.check(cuda_.streamCreateWithFlags(&stream_, cudaStreamNonBlocking),
                "cudaStreamCreateWithFlags");
  for (auto* event : {&ready_, &done_}) {
    clique_.check(cuda_.eventCreateWithFlags(event, cudaEventDisableTiming),
                  "cudaEventCreateWithFlags");
  }
  for (auto* event : {&begun_, &ended_}) {
    clique_.check(cuda_.eventCreateWithFlags(event, cudaEventDefault), "cudaEventCreateWithFlags");
  }
}

Lane::~Lane() {
  const OnDevice current(cuda_, device_);
  for (auto* event : {begun_, ready_, done_, ended_}) {
    if (event != nullptr) cuda_.eventDestroy(event);
  }
  if (stream_ != nullptr) cuda_.streamDestroy(stream_);
  for (const auto& chunk : chunks_) cuda_.free(chunk.data);
}

void Lane::begin() {
  const OnDevice current(cuda_, device_);
  clique_.check(cuda_.eventRecord(begun_, computing()), "cudaEventRecord");
}

void Lane::open() {
  const OnDevice current(cuda_, device_);
  clique_.check(cuda_.eventRecord(ready_, computing()), "cudaEventRecord");
  clique_.check(cuda_.streamWaitEvent(stream_, ready_, 0), "cudaStreamWaitEvent");
}

void Lane::close() {
  const OnDevice current(cuda_, device_);
  clique_.check(cuda_.eventRecord(done_, stream_), "cudaEventRecord");
}

void Lane::join() {
  const OnDevice current(cuda_, device_);
  clique_.check(cuda_.streamWaitEvent(computing(), done_, 0), "cudaStreamWaitEvent");
}

void Lane::end() {
  const OnDevice current(cuda_, device_);
  clique_.check(cuda_.eventRecord(ended_, computing()), "cudaEventRecord");
  used_ = true;
}

bool Lane::hasCome(cudaEvent_t event) const {
  const cudaError_t state = cuda_.eventQuery(event);
  if (state == cudaErrorNotReady) {
    cuda_.getLastError();  // else whoever launches a kernel next would take it for that one's
    return false;
  }
  clique_.check(state, "cudaEventQuery");
  return true;
}

double Lane::seconds() const {
  float milliseconds = 0;
  if (used_) {
    clique_.check(cuda_.eventElapsedTime(&milliseconds, begun_, ended_), "cudaEventElapsedTime");
  }
  return milliseconds / 1e3;
}

void* Lane::take(std::int64_t bytes) {
  constexpr std::int64_t kAlignment = 512;
  constexpr std::int64_t kLeast = std::int64_t{1} << 20;
  bytes = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  auto chunk = std::find_if(chunks_.begin(), chunks_.end(),
                            [&](const Chunk& each) { return each.bytes - each.used >= bytes; });
  if (chunk == chunks_.end()) {
    const OnDevice current(cuda_, device_);
    const std::int64_t size = std::max(bytes, kLeast);
    void* data = nullptr;
    clique_.check(cuda_.malloc(&data, static_cast<std::size_t>(size)), "cudaMalloc");
    chunk = chunks_.insert(chunks_.end(), {static_cast<char*>(data), size, 0});
  }
  void* taken = chunk->data + chunk->used;
  chunk->used += bytes;
  return taken;
}

void Lane::takeBackAll() {
  for (auto& chunk : chunks_) chunk.used = 0;
}

void Lane::copy(void* to, const void* from, std::int64_t bytes) {
  if (to == from || bytes == 0) return;
  const OnDevice current(cuda_, device_);
  clique_.check(cuda_.memcpyAsync(to, from, static_cast<std::size_t>(bytes),
                                  cudaMemcpyDeviceToDevice, computing()),
                "cudaMemcpyAsync");
}

}  // namespace shardlens
