#pragma once

#include <vector>

namespace shardlens {

// A GPU by its index in the process that uses it. Two processes do not share one.
struct GpuPlace {
  int process = 0;
  int device = 0;
  auto operator<=>(const GpuPlace&) const = default;
};

// A seat is what NCCL calls a rank; a rank is one of the program's mesh. Several ranks on one GPU
// have a seat each where NCCL allows that, or share one seat; among those, NCCL carries nothing.
enum class RanksPerGpu { SeatEach, OneSeat };
// The first version, as ncclGetVersion counts, that allows several of its ranks on one GPU.
inline constexpr int kSeatEachSince = 23000;

// Seats, ascending, each once.
using NcclRankSet = std::vector<int>;

// Which seat each rank has. All processes have the same map, with the same numbers.
class RankMap {
 public:
  struct Seat {
    GpuPlace place;
    std::vector<int> ranks;  // ascending
  };

  // Of a process, with the place of each rank.
  RankMap(const std::vector<GpuPlace>& places, int process, RanksPerGpu sharing);

  const std::vector<Seat>& seats() const { return seats_; }
  NcclRankSet all() const;
  // The seats of this process.
  const NcclRankSet& own() const { return own_; }
  bool isOwn(int seat) const;
  int seatOf(int rank) const { return seatOf_[static_cast<std::size_t>(rank)]; }
  NcclRankSet seatsOf(const std::vector<int>& ranks) const;
  // Those of the ranks that sit there, in the order given.
  std::vector<int> ranksAt(int seat, const std::vector<int>& ranks) const;
  // Whether some GPU has several seats.
  bool crowdsGpus() const;

 private:
  std::vector<Seat> seats_;
  std::vector<int> seatOf_;
  NcclRankSet own_;
};

// Distributes sets over rounds so that no seat is in two sets of a round: NCCL makes the
// communicators of a round by one split, and no seat uses two of them in one group of calls.
std::vector<std::vector<NcclRankSet>> inRounds(const std::vector<NcclRankSet>& sets);

// Spreads ranks over the GPUs of one process; neighbouring ranks share a GPU.
std::vector<GpuPlace> spreadOverGpus(int ranks, int gpus);

}  // namespace shardlens
