#pragma once

#include <vector>

namespace shardlens {

// A GPU, by its index in the process that uses it. Two processes never share a GPU.
struct GpuPlace {
  int process = 0;
  int device = 0;
  auto operator<=>(const GpuPlace&) const = default;
};

// NCCL ranks, ascending and unique.
using NcclRankSet = std::vector<int>;

// A map from the ranks of the program's mesh to NCCL ranks. Each GPU has one NCCL rank, which its
// ranks share: NCCL moves data between GPUs, and kernels move it between the ranks of a GPU. NCCL
// ranks are numbered from 0 by the lowest of their ranks. All processes build the same map. Ranks
// passed below must be indices of `places`.
class RankMap {
 public:
  struct NcclRank {
    GpuPlace place;
    std::vector<int> ranks;  // ascending
  };

  // `places[r]` is the GPU of rank r; `process` is the calling process.
  RankMap(const std::vector<GpuPlace>& places, int process);

  const std::vector<NcclRank>& ncclRanks() const { return ncclRanks_; }
  // Returns all NCCL ranks of all processes.
  NcclRankSet all() const;
  // Returns the NCCL ranks of this process.
  const NcclRankSet& own() const { return own_; }
  bool isOwn(int ncclRank) const;
  int ncclRankOf(int rank) const { return ncclRankOf_[static_cast<std::size_t>(rank)]; }
  // Returns the NCCL ranks that these ranks have.
  NcclRankSet ncclRanksOf(const std::vector<int>& ranks) const;
  // Returns those of `ranks` that have this NCCL rank, in the given order.
  std::vector<int> ranksAt(int ncclRank, const std::vector<int>& ranks) const;

 private:
  std::vector<NcclRank> ncclRanks_;
  std::vector<int> ncclRankOf_;
  NcclRankSet own_;
};

// Distributes sets over batches so that the sets of a batch are disjoint; equal sets are merged.
// One ncclCommSplit creates the communicators of a batch, and no NCCL rank uses two of them in one
// group call.
std::vector<std::vector<NcclRankSet>> inBatches(const std::vector<NcclRankSet>& sets);

// Places ranks on the GPUs of process 0 in contiguous blocks, so that neighbouring ranks share a
// GPU. With fewer ranks than GPUs, each rank has its own and the remaining GPUs are unused.
std::vector<GpuPlace> spreadOverGpus(int ranks, int gpus);

}  // namespace shardlens
