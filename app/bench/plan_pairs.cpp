#include "app/bench/plan_pairs.h"

#include <array>
#include <random>

namespace shardlens {
namespace {

const std::array<Placement, 6> kPlacements = {Replicate{}, Shard{0},  Shard{1},
                                              Shard{2},    Partial{}, StridedShard{0, 2}};

std::size_t countOf(int ndim) {
  std::size_t count = 1;
  for (int dim = 0; dim < ndim; ++dim) count *= kPlacements.size();
  return count;
}

// Returns the placements that the digits of `number` select, in base kPlacements.size().
Placements nth(std::size_t number, int ndim) {
  Placements placements;
  for (int dim = 0; dim < ndim; ++dim) {
    placements.push_back(kPlacements[number % kPlacements.size()]);
    number /= kPlacements.size();
  }
  return placements;
}

}  // namespace

std::vector<PlacementsPair> allPairs(int ndim) {
  std::vector<PlacementsPair> pairs;
  for (std::size_t from = 0; from < countOf(ndim); ++from) {
    for (std::size_t to = 0; to < countOf(ndim); ++to) {
      if (from != to) pairs.emplace_back(nth(from, ndim), nth(to, ndim));
    }
  }
  return pairs;
}

std::vector<PlacementsPair> drawnPairs(int ndim, int count) {
  std::mt19937 random;  // NOLINT(bugprone-random-generator-seed): the same pairs in every run
  std::vector<PlacementsPair> pairs;
  while (static_cast<int>(pairs.size()) < count) {
    const auto from = random() % countOf(ndim), to = random() % countOf(ndim);
    if (from != to) pairs.emplace_back(nth(from, ndim), nth(to, ndim));
  }
  return pairs;
}

}  // namespace shardlens
