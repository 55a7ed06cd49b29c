#include "core/comm/nccl/device/rank_map.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>

namespace shardlens {
namespace {

bool meet(const NcclRankSet& one, const NcclRankSet& other) {
  return std::any_of(one.begin(), one.end(), [&](int seat) {
    return std::binary_search(other.begin(), other.end(), seat);
  });
}

}  // namespace

RankMap::RankMap(const std::vector<GpuPlace>& places, int process, RanksPerGpu sharing) {
  std::map<GpuPlace, int> known;
  for (int rank = 0; rank < static_cast<int>(places.size()); ++rank) {
    const auto& place = places[static_cast<std::size_t>(rank)];
    const int next = static_cast<int>(seats_.size());
    const int seat =
        sharing == RanksPerGpu::SeatEach ? next : known.try_emplace(place, next).first->second;
    if (seat == next) {
      seats_.push_back({place, {}});
      if (place.process == process) own_.push_back(seat);
    }
    seats_[static_cast<std::size_t>(seat)].ranks.push_back(rank);
    seatOf_.push_back(seat);
  }
}

NcclRankSet RankMap::all() const {
  NcclRankSet all(seats_.size());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

bool RankMap::isOwn(int seat) const { return std::binary_search(own_.begin(), own_.end(), seat); }

NcclRankSet RankMap::seatsOf(const std::vector<int>& ranks) const {
  NcclRankSet seats;
  for (const int rank : ranks) seats.push_back(seatOf(rank));
  std::sort(seats.begin(), seats.end());
  seats.erase(std::unique(seats.begin(), seats.end()), seats.end());
  return seats;
}

std::vector<int> RankMap::ranksAt(int seat, const std::vector<int>& ranks) const {
  std::vector<int> there;
  std::copy_if(ranks.begin(), ranks.end(), std::back_inserter(there),
               [&](int rank) { return seatOf(rank) == seat; });
  return there;
}

bool RankMap::crowdsGpus() const {
  std::map<GpuPlace, int> seats;
  return std::any_of(seats_.begin(), seats_.end(),
                     [&](const Seat& seat) { return ++seats[seat.place] > 1; });
}

std::vector<std::vector<NcclRankSet>> inRounds(const std::vector<NcclRankSet>& sets) {
  std::vector<std::vector<NcclRankSet>> rounds;
  for (const auto& set : sets) {
    const auto isThis = [&](const NcclRankSet& other) { return other == set; };
    const auto fits = [&](const std::vector<NcclRankSet>& round) {
      return std::any_of(round.begin(), round.end(), isThis) ||
             std::none_of(round.begin(), round.end(),
                          [&](const NcclRankSet& other) { return meet(set, other); });
    };
    auto round = std::find_if(rounds.begin(), rounds.end(), fits);
    if (round == rounds.end()) round = rounds.insert(rounds.end(), std::vector<NcclRankSet>());
    if (std::none_of(round->begin(), round->end(), isThis)) round->push_back(set);
  }
  return rounds;
}

std::vector<GpuPlace> spreadOverGpus(int ranks, int gpus) {
  std::vector<GpuPlace> places;
  const std::int64_t used = std::min(ranks, gpus);
  for (std::int64_t rank = 0; rank < ranks; ++rank) {
    places.push_back({0, static_cast<int>(rank * used / ranks)});
  }
  return places;
}

}  // namespace shardlens
