#include "core/comm/nccl/device/comm_set.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <thread>

namespace shardlens {

// Paces one wait for NCCL: yields at first, then sleeps 50 us a turn. Most NCCL calls complete at
// once; a large transfer takes milliseconds.
class NcclCommSet::Poll {
 public:
  explicit Poll(NcclCommSet& commSet) : commSet_(commSet) {}

  void pause() {
    const auto& reasonToStop = commSet_.hooks_.reasonToStop;
    if (reasonToStop) {
      const auto reason = reasonToStop(std::chrono::steady_clock::now() - start_);
      if (reason) commSet_.abortWith(*reason);
    }
    constexpr int kShortOnes = 2000;
    if (++count_ < kShortOnes) return std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }

 private:
  NcclCommSet& commSet_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  int count_ = 0;
};

cudaStream_t NcclCommSet::computingStream(int device) const {
  return hooks_.computingStream ? hooks_.computingStream(device) : nullptr;
}

void NcclCommSet::issue(const std::vector<std::vector<NcclRankSet>>& batches,
                        const std::vector<NcclCall>& calls) {
  throwIfFailed();
  constexpr const char* kFunction = "a group of calls";
  struct Made {
    const NcclCall* call;
    int ncclRank;
    ncclComm_t comm;
  };
  for (const auto& batch : batches) {
    std::vector<Made> all;
    bool connects = false;
    for (const auto& call : calls) {
      if (std::find(batch.begin(), batch.end(), call.ncclRanks) == batch.end()) continue;
      for (const auto& [ncclRank, comm] : comms_.at(call.ncclRanks)) {
        all.push_back({&call, ncclRank, comm});
      }
      connects = connected_.insert({call.ncclRanks, call.connects}).second || connects;
    }
    if (all.empty()) continue;
    const auto make = [&] {
      ncclResult_t worst = ncclSuccess;
      for (const auto& [call, ncclRank, comm] : all) {
        const auto result = call->make(ncclRank, comm);
        if (result != ncclSuccess) worst = result;
      }
      return worst;
    };
    if (!connects) {
      check(inGroup(make), kFunction);
      continue;
    }
    ncclResult_t inside = ncclSuccess;
    const auto queue = [&] {
      const auto start = api_.nccl.groupStart();
      inside = start == ncclSuccess ? make() : start;
      return start;
    };
    runWatched(kFunction, queue, api_.nccl.groupEnd);
    check(inside, kFunction);
  }
}

ncclResult_t NcclCommSet::inGroup(const std::function<ncclResult_t()>& calls) const {
  const ncclResult_t start = api_.nccl.groupStart();
  if (start != ncclSuccess) return start;
  const ncclResult_t inside = calls();
  const ncclResult_t end = api_.nccl.groupEnd();  // also after an error, because it cleans up
  return inside != ncclSuccess && inside != ncclInProgress ? inside : end;
}

// If a hook stops the wait, ncclCommAbort ends the call that blocks, and the future's destructor
// joins its thread. The thread sets one of this process's GPUs as its device, because CUDA creates
// a context on a thread's current device.
void NcclCommSet::runWatched(const char* function, const std::function<ncclResult_t()>& queue,
                             const std::function<ncclResult_t()>& block) {
  constexpr std::chrono::milliseconds kMostCalls(10);
  std::atomic<bool> isQueued = false;
  auto result = std::async(std::launch::async, [&] {
    const auto own = static_cast<std::size_t>(rankMap_.own().front());
    api_.cuda.setDevice(rankMap_.ncclRanks()[own].place.device);
    const auto first = queue();
    isQueued = true;
    return first == ncclSuccess ? block() : first;
  });
  const auto isReady = [&](std::chrono::milliseconds patience) {
    return result.wait_for(patience) == std::future_status::ready;
  };
  while (!isQueued && !isReady(std::chrono::milliseconds(0))) std::this_thread::yield();
  if (!isReady(kMostCalls)) {
    Poll poll(*this);
    while (!isReady(std::chrono::milliseconds(0))) poll.pause();
  }
  check(result.get(), function);
}

void NcclCommSet::waitWhileInProgress(const Comms& comms, const char* function) {
  Poll poll(*this);
  for (const auto& [ncclRank, comm] : comms) {
    while (comm != nullptr) {
      ncclResult_t state = ncclSuccess;
      check(api_.nccl.commGetAsyncError(comm, &state), "ncclCommGetAsyncError");
      check(state, function);
      if (state != ncclInProgress) break;
      poll.pause();
    }
  }
}

void NcclCommSet::waitUntil(const std::function<bool()>& done) {
  throwIfFailed();
  Poll poll(*this);
  while (!done()) {
    checkAsync(parents_);
    for (const auto& [set, comms] : comms_) checkAsync(comms);
    poll.pause();
  }
}

void NcclCommSet::checkAsync(const Comms& comms) {
  for (const auto& [ncclRank, comm] : comms) {
    if (comm == nullptr) continue;
    ncclResult_t state = ncclSuccess;
    check(api_.nccl.commGetAsyncError(comm, &state), "ncclCommGetAsyncError");
    check(state, "NCCL");
  }
}

void NcclCommSet::check(ncclResult_t result, const char* function) {
  if (result == ncclSuccess || result == ncclInProgress) return;
  abortWith(std::string(function) + ": " + textOf(result));
}

void NcclCommSet::check(cudaError_t error, const char* function) {
  if (error == cudaSuccess) return;
  abortWith(std::string(function) + ": " + api_.cuda.getErrorString(error));
}

std::string NcclCommSet::textOf(ncclResult_t result) const {
  std::string text = api_.nccl.getErrorString(result);
  const char* last = api_.nccl.getLastError(nullptr);
  if (last != nullptr && *last != '\0') text += " (" + std::string(last) + ")";
  return text;
}

void NcclCommSet::throwIfFailed() const {
  if (failure_) throw NcclFailed(*failure_);
}

void NcclCommSet::abortWith(const std::string& why) {
  failure_ = operation_ + ": " + why;
  abort();
  throw NcclFailed(*failure_);
}

// Aborts the parent first, because that also ends a hanging split.
void NcclCommSet::abort() {
  for (const auto& [ncclRank, comm] : parents_) api_.nccl.commAbort(comm);
  for (const auto& [set, comms] : comms_) {
    for (const auto& [ncclRank, comm] : comms) api_.nccl.commAbort(comm);
  }
  parents_.clear();
  comms_.clear();
}

}  // namespace shardlens
