#pragma once

#include "core/comm/nccl/device/api.h"
#include "core/comm/nccl/device/rank_map.h"

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace shardlens {

// NCCL or CUDA refused or lost something: no communicator is left, and nothing can be sent any
// more. What was under way has been aborted.
class NcclFailed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// What ranks on GPUs call in the code that uses them.
struct NcclHooks {
  // What every process says, to all of them, in their order; left out where there is one process.
  std::function<std::vector<std::string>(const std::string& words)> allGatherStrings{};
  // Asked again and again while waiting, with how long it has been: a reason to give up. NCCL
  // itself waits for ever.
  std::function<std::optional<std::string>(std::chrono::steady_clock::duration waited)>
      reasonToStop{};
  // The stream on which the calling thread has a GPU compute now; the default one where not given.
  std::function<cudaStream_t(int device)> computingStream{};
};

// One call of NCCL that all seats of a set make, each with its communicator.
struct NcclCall {
  NcclRankSet seats;
  std::function<ncclResult_t(int seat, ncclComm_t comm)> make;
};

// NCCL's communicators of the own seats: one of all seats, and one for each set of seats that was
// asked for, split off the first. None of NCCL's calls blocks: they are waited for here, and while
// waiting every communicator is asked for errors of its own. The first error aborts all of them,
// is thrown as NcclFailed, and thrown again by whatever is asked afterwards.
class NcclCommSet {
 public:
  // Takes as many processes as there are, all at once. A single seat needs no communicator.
  static Result<std::unique_ptr<NcclCommSet>> join(const GpuApi& api, const RankMap& seating,
                                                   NcclHooks surroundings);
  ~NcclCommSet();
  NcclCommSet(const NcclCommSet&) = delete;
  NcclCommSet& operator=(const NcclCommSet&) = delete;

  // What is being done, for the words of an error.
  void setDoing(std::string doing) { doing_ = std::move(doing); }

  // Makes communicators for sets of several seats that have none yet. All processes ask for the
  // same ones: also those that have no seat in them.
  void prepare(const std::vector<std::vector<NcclRankSet>>& rounds);
  // Has all seats make their calls, round after round, one group each; returns when all are on
  // their streams. Calls of one set are made in their order.
  void issue(const std::vector<std::vector<NcclRankSet>>& rounds,
             const std::vector<NcclCall>& calls);
  void waitUntil(const std::function<bool()>& done);
  cudaStream_t computingStream(int device) const;
  // What CUDA answered; throws unless it did what it was to do.
  void check(cudaError_t error, const char* function);

 private:
  using Comms = std::map<int, ncclComm_t>;  // of own seats

  NcclCommSet(const GpuApi& api, const RankMap& seating, NcclHooks surroundings);

  void initialise();
  ncclUniqueId agreeOnId();
  void split(const std::vector<NcclRankSet>& sets);
  void inGroup(const char* function, const std::function<ncclResult_t()>& calls);
  void check(ncclResult_t result, const char* function);
  void waitWhileInProgress(const Comms& comms, const char* function);
  class Patience;
  void throwIfBroken() const;
  [[noreturn]] void giveUp(const std::string& why);
  std::string textOf(ncclResult_t result) const;
  void leave();
  void abort();

  GpuApi api_;
  RankMap seating_;
  NcclHooks surroundings_;
  std::map<NcclRankSet, Comms> comms_;
  std::string doing_ = "joining";
  std::optional<std::string> broken_;
};

// Makes a GPU the current one, and the one before it again.
class OnDevice {
 public:
  OnDevice(const CudaApi& cuda, int device);
  ~OnDevice();
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

 private:
  const CudaApi& cuda_;
  int before_ = 0;
};

}  // namespace shardlens
