#pragma once

#include "core/comm/nccl/device/api.h"
#include "core/comm/nccl/device/buffers.h"
#include "core/comm/nccl/device/current_device.h"
#include "core/comm/nccl/device/rank_map.h"

#include <bit>
#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace shardlens {

// Thrown when an NCCL or CUDA call fails, or a wait is given up. All communicators have been
// aborted, so no further transfer is possible.
class NcclFailed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Callbacks that the client of NcclCommSet provides. Called on the thread that calls NcclCommSet.
struct NcclHooks {
  // All-gathers one string per process, in process order. May be empty if there is one process.
  std::function<std::vector<std::string>(const std::string& mine)> allGatherStrings{};
  // Polled while waiting, with the elapsed time. Returning a reason aborts the wait. NCCL itself
  // waits forever.
  std::function<std::optional<std::string>(std::chrono::steady_clock::duration waited)>
      reasonToStop{};
  // Returns the calling thread's current stream on the device. If empty, the default stream is
  // used.
  std::function<cudaStream_t(int device)> computingStream{};
  // Launches all copies of a collective on a GPU at once. If empty, cudaMemcpyAsync runs each.
  LocalCopy copyBlocks{};
};

// A key for the connections that NCCL sets up at the first call that needs them: those of the
// algorithm that it chooses by function and size, or those between the two NCCL ranks of a message.
struct NcclConnection {
  enum class Function { AllReduce, Reduce, ReduceScatter, AllGather, Broadcast, Message };

  static NcclConnection of(Function function, std::size_t bytes) {
    return {function, static_cast<int>(std::bit_width(bytes))};
  }
  static NcclConnection between(int sender, int receiver) {
    return {Function::Message, 0, sender, receiver};
  }
  auto operator<=>(const NcclConnection&) const = default;

  Function function;
  int sizeClass = 0;
  int sender = -1;
  int receiver = -1;
};

// One NCCL call that every NCCL rank of a set makes, each with its communicator.
struct NcclCall {
  NcclRankSet ncclRanks;
  NcclConnection connects;
  std::function<ncclResult_t(int ncclRank, ncclComm_t comm)> make;
};

// The NCCL communicators of this process's NCCL ranks. One communicator of all NCCL ranks, the
// parent, comes up non-blocking, so that a missing process does not hang this one. Calls use
// blocking communicators, which are split from the parent per requested set: a call on a
// non-blocking one costs 70 us more, because NCCL starts a thread for it. A blocking call returns
// when its kernels are queued, and waits for other processes only where it first connects to them.
// Such a call runs on another thread, while this class polls. So hangs and asynchronous errors are
// detected in all waits. The first error aborts all communicators and is thrown as NcclFailed.
// Every later call throws it again. Call it from one thread.
class NcclCommSet {
 public:
  // Collective: every process must call it. Returns an error if NCCL cannot be initialised. Makes
  // no communicator if there is only one NCCL rank.
  static Result<std::unique_ptr<NcclCommSet>> join(const GpuApi& api, const RankMap& rankMap,
                                                   NcclHooks hooks);
  // Waits up to 10 s for the other processes, then aborts.
  ~NcclCommSet();
  NcclCommSet(const NcclCommSet&) = delete;
  NcclCommSet& operator=(const NcclCommSet&) = delete;

  // Sets the operation name that error messages start with.
  void setOperation(std::string operation) { operation_ = std::move(operation); }

  // Creates the missing communicators for sets of several NCCL ranks. Collective: every process
  // passes the same sets, also a process that has no NCCL rank in them.
  void prepare(const std::vector<std::vector<NcclRankSet>>& batches);
  // Makes the calls batch by batch, each batch in one NCCL group. Returns when all are enqueued on
  // their streams. Calls of one set keep their order. Requires prepare() with the same batches;
  // otherwise throws std::out_of_range.
  void issue(const std::vector<std::vector<NcclRankSet>>& batches,
             const std::vector<NcclCall>& calls);
  // Blocks until `done` returns true. Throws NcclFailed on an asynchronous error or a reasonToStop.
  void waitUntil(const std::function<bool()>& done);
  // Returns the hook's stream, or null (the default stream) without a hook.
  cudaStream_t computingStream(int device) const;
  const LocalCopy& copyBlocks() const { return hooks_.copyBlocks; }
  // Aborts all communicators and throws NcclFailed if `error` is not cudaSuccess.
  void check(cudaError_t error, const char* function);

 private:
  using Comms = std::map<int, ncclComm_t>;  // by own NCCL rank

  NcclCommSet(const GpuApi& api, const RankMap& rankMap, NcclHooks hooks);

  void initialise();
  ncclUniqueId agreeOnId();
  void split(const std::vector<NcclRankSet>& sets);
  // Makes the calls in one NCCL group. Returns the first error.
  ncclResult_t inGroup(const std::function<ncclResult_t()>& calls) const;
  // Runs calls on another thread, and polls until they return. Only `block` may wait for other
  // processes: the communicators are not aborted before it is called.
  void runWatched(const char* function, const std::function<ncclResult_t()>& queue,
                  const std::function<ncclResult_t()>& block);
  void check(ncclResult_t result, const char* function);
  void waitWhileInProgress(const Comms& comms, const char* function);
  void checkAsync(const Comms& comms);
  class Poll;
  void throwIfFailed() const;
  // Records the reason, aborts all communicators and throws NcclFailed.
  [[noreturn]] void abortWith(const std::string& why);
  std::string textOf(ncclResult_t result) const;
  void leave();
  void abort();

  GpuApi api_;
  RankMap rankMap_;
  NcclHooks hooks_;
  Comms parents_;                       // non-blocking; of all NCCL ranks
  std::map<NcclRankSet, Comms> comms_;  // blocking
  std::set<std::pair<NcclRankSet, NcclConnection>> connected_;
  std::string operation_ = "joining";
  std::optional<std::string> failure_;
};

}  // namespace shardlens
