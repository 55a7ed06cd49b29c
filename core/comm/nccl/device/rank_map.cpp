#include "core/comm/nccl/device/rank_map.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>

namespace shardlens {
namespace {

bool meet(const NcclRankSet& one, const NcclRankSet& other) {
  return std::any_of(one.begin(), one.end(), [&](int ncclRank) {
    return std::binary_search(other.begin(), other.end(), ncclRank);
  });
}

}  // namespace

RankMap::RankMap(const std::vector<GpuPlace>& places, int process) {
  std::map<GpuPlace, int> known;
  for (int rank = 0; rank < static_cast<int>(places.size()); ++rank) {
    const auto& place = places[static_cast<std::size_t>(rank)];
    const int next = static_cast<int>(ncclRanks_.size());
    const int ncclRank = known.try_emplace(place, next).first->second;
    if (ncclRank == next) {
      ncclRanks_.push_back({place, {}});
      if (place.process == process) own_.push_back(ncclRank);
    }
    ncclRanks_[static_cast<std::size_t>(ncclRank)].ranks.push_back(rank);
    ncclRankOf_.push_back(ncclRank);
  }
}

NcclRankSet RankMap::all() const {
  NcclRankSet all(ncclRanks_.size());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

bool RankMap::isOwn(int ncclRank) const {
  return std::binary_search(own_.begin(), own_.end(), ncclRank);
}

NcclRankSet RankMap::ncclRanksOf(const std::vector<int>& ranks) const {
  NcclRankSet ncclRanks;
  for (const int rank : ranks) ncclRanks.push_back(ncclRankOf(rank));
  std::sort(ncclRanks.begin(), ncclRanks.end());
  ncclRanks.erase(std::unique(ncclRanks.begin(), ncclRanks.end()), ncclRanks.end());
  return ncclRanks;
}

std::vector<int> RankMap::ranksAt(int ncclRank, const std::vector<int>& ranks) const {
  std::vector<int> there;
  std::copy_if(ranks.begin(), ranks.end(), std::back_inserter(there),
               [&](int rank) { return ncclRankOf(rank) == ncclRank; });
  return there;
}

std::vector<std::vector<NcclRankSet>> inBatches(const std::vector<NcclRankSet>& sets) {
  std::vector<std::vector<NcclRankSet>> batches;
  for (const auto& set : sets) {
    const auto isThis = [&](const NcclRankSet& other) { return other == set; };
    const auto fits = [&](const std::vector<NcclRankSet>& batch) {
      return std::any_of(batch.begin(), batch.end(), isThis) ||
             std::none_of(batch.begin(), batch.end(),
                          [&](const NcclRankSet& other) { return meet(set, other); });
    };
    auto batch = std::find_if(batches.begin(), batches.end(), fits);
    if (batch == batches.end()) batch = batches.insert(batches.end(), std::vector<NcclRankSet>());
    if (std::none_of(batch->begin(), batch->end(), isThis)) batch->push_back(set);
  }
  return batches;
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
