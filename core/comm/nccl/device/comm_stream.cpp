#include "core/comm/nccl/device/comm_stream.h"

#include <algorithm>
#include <functional>

namespace shardlens {

CommStream::CommStream(const CudaApi& cuda, NcclCommSet& commSet, int device)
    : cuda_(cuda), commSet_(commSet), device_(device) {}

CommStream::~CommStream() {
  const OnDevice current(cuda_, device_);
  for (auto* event : {ready_, done_, scratchRead_}) {
    if (event != nullptr) cuda_.eventDestroy(event);
  }
  if (separate_ != nullptr) cuda_.streamDestroy(separate_);
  for (const auto& chunk : chunks_) cuda_.free(chunk.data);
}

void CommStream::record(cudaEvent_t& event, cudaStream_t stream) {
  if (event == nullptr) {
    commSet_.check(cuda_.eventCreateWithFlags(&event, cudaEventDisableTiming),
                   "cudaEventCreateWithFlags");
  }
  commSet_.check(cuda_.eventRecord(event, stream), "cudaEventRecord");
}

void CommStream::begin() {
  if (usesScratch() && computing() != endedOn_) {
    commSet_.check(cuda_.streamWaitEvent(computing(), scratchRead_, 0), "cudaStreamWaitEvent");
  }
  for (auto& chunk : chunks_) chunk.used = 0;
}

void CommStream::open(bool overlaps) {
  overlaps_ = overlaps;
  open_ = computing();
  if (!overlaps_) return;
  if (separate_ == nullptr) {
    // Without the flag it would synchronise with the default stream.
    commSet_.check(cuda_.streamCreateWithFlags(&separate_, cudaStreamNonBlocking),
                   "cudaStreamCreateWithFlags");
  }
  record(ready_, open_);
  open_ = separate_;
  commSet_.check(cuda_.streamWaitEvent(separate_, ready_, 0), "cudaStreamWaitEvent");
}

void CommStream::close() {
  if (overlaps_) record(done_, separate_);
}

void CommStream::join() {
  if (overlaps_)
    commSet_.check(cuda_.streamWaitEvent(computing(), done_, 0), "cudaStreamWaitEvent");
}

void CommStream::end() {
  if (!usesScratch()) return;
  record(scratchRead_, computing());
  endedOn_ = computing();
}

bool CommStream::usesScratch() const {
  return std::any_of(chunks_.begin(), chunks_.end(),
                     [](const Chunk& chunk) { return chunk.used > 0; });
}

void CommStream::mark() { record(done_, computing()); }

bool CommStream::isDone() const {
  if (done_ == nullptr) return true;
  const cudaError_t state = cuda_.eventQuery(done_);
  if (state == cudaErrorNotReady) {
    cuda_.getLastError();  // clears it; otherwise the next launch would report it
    return false;
  }
  commSet_.check(state, "cudaEventQuery");
  return true;
}

void* CommStream::allocate(std::int64_t bytes) {
  constexpr std::int64_t kAlignment = 512;
  constexpr std::int64_t kLeast = std::int64_t{1} << 20;
  bytes = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  auto chunk = std::find_if(chunks_.begin(), chunks_.end(),
                            [&](const Chunk& each) { return each.bytes - each.used >= bytes; });
  if (chunk == chunks_.end()) {
    const std::int64_t size = std::max(bytes, kLeast);
    void* data = nullptr;
    commSet_.check(cuda_.malloc(&data, static_cast<std::size_t>(size)), "cudaMalloc");
    chunk = chunks_.insert(chunks_.end(), {static_cast<char*>(data), size, 0});
  }
  void* allocated = chunk->data + chunk->used;
  chunk->used += bytes;
  return allocated;
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
  if (commSet_.copyBlocks()) return commSet_.copyBlocks()(copies, computing());
  for (const auto& [to, from, bytes] : copies) {
    commSet_.check(cuda_.memcpyAsync(to, from, static_cast<std::size_t>(bytes),
                                     cudaMemcpyDeviceToDevice, computing()),
                   "cudaMemcpyAsync");
  }
}

}  // namespace shardlens
