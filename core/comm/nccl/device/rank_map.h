#pragma once

#include <vector>

namespace shardlens {

// A GPU, by its index in the process that uses it. Two processes never share a GPU.
struct GpuPlace {
  int process = 0;
  int device = 0;
  auto operator<=>(const GpuPlace&) const = default;
};

// A "seat" is an NCCL rank; a "rank" is a rank of the program's mesh. Several ranks on one GPU
// either have one NCCL rank each, if NCCL supports that, or share one. NCCL carries nothing between
// ranks that share an NCCL rank.
enum class RanksPerGpu { SeatEach, OneSeat };
// The first version, as ncclGetVersion() encodes it, that supports several NCCL ranks on one GPU.
inline constexpr int kSeatEachSince = 23000;

// NCCL ranks, ascending and unique.
using NcclRankSet = std::vector<int>;

// Maps ranks to NCCL ranks. All processes build the same map, with the same numbers.
class RankMap {
 public:
  struct Seat {
    GpuPlace place;
    std::vector<int> ranks;  // ascending
  };

  // `places[r]` is the GPU of rank r; `process` is the calling process.
  RankMap(const std::vector<GpuPlace>& places, int process, RanksPerGpu sharing);

  const std::vector<Seat>& seats() const { return seats_; }
  // Returns all NCCL ranks of all processes.
  NcclRankSet all() const;
  // Returns the NCCL ranks of this process.
  const NcclRankSet& own() const { return own_; }
  bool isOwn(int seat) const;
  int seatOf(int rank) const { return seatOf_[static_cast<std::size_t>(rank)]; }
  // Returns the NCCL ranks that these ranks have.
  NcclRankSet seatsOf(const std::vector<int>& ranks) const;
  // Returns those of `ranks` that have this NCCL rank, in the given order.
  std::vector<int> ranksAt(int seat, const std::vector<int>& ranks) const;
  // Returns true if some GPU has several NCCL ranks.
  bool crowdsGpus() const;

 private:
  std::vector<Seat> seats_;
  std::vector<int> seatOf_;
  NcclRankSet own_;
};

// Distributes sets over rounds so that the sets of a round are disjoint; equal sets are merged.
// NCCL makes the communicators of a round by one split, and no NCCL rank uses two of them in one
// group call.
std::vector<std::vector<NcclRankSet>> inRounds(const std::vector<NcclRankSet>& sets);

// Places ranks on the GPUs of process 0 in contiguous blocks, so that neighbouring ranks share a
// GPU.
std::vector<GpuPlace> spreadOverGpus(int ranks, int gpus);

}  // namespace shardlens
