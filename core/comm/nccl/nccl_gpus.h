#pragma once

#include "core/cluster/processes.h"
#include "core/comm/communicator.h"

#include <map>
#include <memory>

namespace shardlens {

class NcclCollectives;
struct GpuApi;

// The GPUs of this machine with the libraries that are opened at run time: NCCL, CUDA, and
// libtorch_cuda. Either one process drives all GPUs, or each launched process drives the GPU at its
// LOCAL_RANK, and Gloo carries the strings.
class NcclGpus {
 public:
  // `processes` is null if this is the only process. Returns an error that names the missing part
  // and the remedy, always so in a build without NCCL. Call it before anything asks torch about
  // CUDA, because torch caches whether CUDA is available.
  static Result<std::shared_ptr<NcclGpus>> open(std::shared_ptr<Processes> processes);

  // Returns a communicator of this many ranks, a multiple of the number of processes. Calls with
  // the same number share their connections. Collective over all processes. Throws RankLost if NCCL
  // cannot be initialised.
  std::unique_ptr<Communicator> communicator(int ranks);

 private:
  NcclGpus(std::shared_ptr<const GpuApi> api, int device, int count,
           std::shared_ptr<Processes> processes);
  std::shared_ptr<NcclCollectives> join(int ranks) const;

  std::shared_ptr<const GpuApi> api_;
  int device_;  // the first GPU of this process
  int count_;
  std::shared_ptr<Processes> processes_;  // null if this is the only process
  std::map<int, std::shared_ptr<NcclCollectives>> joined_;
};

}  // namespace shardlens
