#pragma once

#include "core/cluster/processes.h"
#include "core/comm/communicator.h"

#include <map>
#include <memory>

namespace shardlens {

class NcclCollectives;
struct GpuApi;

// The GPUs of this machine, opened when the program runs: NCCL, CUDA and torch's part for them. One
// process drives them all; or each process of a launch the one that its LOCAL_RANK says, and Gloo
// carries their words.
class NcclGpus {
 public:
  // Without processes this is the only one. Says what is missing, and what to do about it. Comes
  // before whatever asks torch about CUDA: torch then remembers whether there is any.
  static Result<std::shared_ptr<NcclGpus>> open(std::shared_ptr<Processes> processes);

  // For so many ranks, which the number of processes divides; those of earlier calls share their
  // connections. Takes all processes at once. Throws RankLost where NCCL does not come up.
  std::unique_ptr<Communicator> communicator(int ranks);

 private:
  NcclGpus(std::shared_ptr<const GpuApi> api, int device, int count,
           std::shared_ptr<Processes> processes);
  std::shared_ptr<NcclCollectives> join(int ranks) const;

  std::shared_ptr<const GpuApi> api_;
  int device_;  // the first of this process's
  int count_;
  std::shared_ptr<Processes> processes_;  // none where this is the only one
  std::map<int, std::shared_ptr<NcclCollectives>> joined_;
};

}  // namespace shardlens
