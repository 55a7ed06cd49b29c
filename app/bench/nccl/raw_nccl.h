#pragma once

#include "app/bench/nccl/rank_memory.h"
#include "core/comm/nccl/device/api.h"

#include <functional>

namespace shardlens {

// Collectives by NCCL alone, on blocking communicators: the lowest time that a collective among
// NCCL ranks can have. All ranks are in this process, each with a communicator and a stream. Throws
// std::runtime_error if NCCL or CUDA fails.
class RawNccl {
 public:
  // Creates the communicators and streams; blocks until all ranks have joined. `nccl` and `memory`
  // must outlive this object.
  RawNccl(const NcclApi& nccl, const std::vector<GpuPlace>& places, const RankMemory& memory);
  ~RawNccl();
  RawNccl(const RawNccl&) = delete;
  RawNccl& operator=(const RawNccl&) = delete;

  // The calls have the sizes of the functions with these names in main.cpp, and return when they
  // are queued.
  void allReduce(std::int64_t bytes);
  void allGather(std::int64_t bytes);
  void allToAll(std::int64_t bytes);
  // Blocks until the streams of all ranks have finished what was queued.
  void synchronize();

 private:
  struct Rank {
    int device;
    ncclComm_t comm;
    cudaStream_t stream;
  };

  void check(ncclResult_t result, const char* function) const;
  // Makes the call of each rank, all in one NCCL group.
  void inGroup(const std::function<void(std::size_t rank)>& call);

  const NcclApi& nccl_;
  const RankMemory& memory_;
  std::vector<Rank> ranks_;
};

}  // namespace shardlens
