#pragma once

#include <vector>

namespace shardlens {

// A GPU: the how-manieth of a process. Two processes do not share one.
struct GpuPlace {
  int process = 0;
  int device = 0;
  auto operator<=>(const GpuPlace&) const = default;
};

// What NCCL calls a rank is a seat here. Ranks on one GPU have a seat each, where NCCL is told to
// allow that; or one for all of them, and what they have for one another never goes through NCCL.
enum class RanksPerGpu { SeatEach, OneSeat };
// Since this version, as ncclGetVersion says it, NCCL can be told so.
inline constexpr int kSeatEachSince = 23000;

// Seats, ascending, each once.
using NcclRankSet = std::vector<int>;

// Where ranks sit. Every process knows all of it, and numbers seats alike.
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

// Deals sets into rounds, in each of which no seat is in two sets: NCCL makes the communicators of
// a round by one split, and a seat never has two of them at work in one group of calls.
std::vector<std::vector<NcclRankSet>> inRounds(const std::vector<NcclRankSet>& sets);

// So many ranks spread over the GPUs of one process: neighbours share one.
std::vector<GpuPlace> spreadOverGpus(int ranks, int gpus);

}  // namespace shardlens
