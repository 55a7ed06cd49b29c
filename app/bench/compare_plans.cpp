#include "app/bench/comparisons.h"
#include "app/bench/samples.h"
#include "core/plan/planner.h"

#include <benchmark/benchmark.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>
#include <random>
#include <utility>

namespace shardlens {
namespace {

using nlohmann::json;

constexpr double kTimesFaster = 200;
constexpr double kLongest = 2000;  // microseconds; bound of the 99th percentile on the last mesh
const Shape kShape = {64, 64, 64};

using PlacementsPair = std::pair<Placements, Placements>;

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

// allPairs() returns all pairs of different placements on a mesh of `ndim` dimensions. drawnPairs()
// returns `count` random ones, the same in every run; a pair may occur twice.
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

struct Figures {
  Samples peer, ours, ratios;

  void add(double peerTime, double ourTime) {
    peer.add(peerTime);
    ours.add(ourTime);
    ratios.add(peerTime / ourTime);
  }
};

std::vector<std::string> texts(const Placements& placements) {
  std::vector<std::string> texts;
  for (const auto& placement : placements) texts.push_back(toText(placement));
  return texts;
}

double ratioOf(double ours, double greedy) {
  if (ours == greedy) return 1;
  return greedy == 0 ? std::numeric_limits<double>::infinity() : ours / greedy;
}

// Compares planning times with DTensor's on one mesh, and the costs of our plans with those of our
// greedy planner. Pairs that either side refuses are left out.
class MeshComparison {
 public:
  MeshComparison(std::vector<int> shape, Clock clock)
      : mesh_(std::make_shared<const DeviceMesh>(DeviceMesh::make(std::move(shape)).value())),
        clock_(clock) {}

  Result<json> compare(Peer& peer, const PlacementsPair& pair) {
    const auto& [from, to] = pair;
    json sample = {{"mesh", mesh_->shape()}, {"from", texts(from)}, {"to", texts(to)}};
    json question = sample;
    question["shape"] = kShape;
    auto answer = peer.ask(question);
    if (!answer) return answer;
    sample["peer"] = *answer;
    const Spec current{mesh_, from, {kShape, contiguousStrides(kShape), DType::Float32}};
    const auto plan = minCost(current, to), greedy = planGreedy(current, to);
    if (answer->contains("refused") || !plan || !greedy) {
      ++(answer->contains("refused") ? leftOutByPeer_ : leftOutByUs_);
      return sample;
    }
    const Taken ours = meanOf([&] { benchmark::DoNotOptimize(minCost(current, to)); });
    sample["ours"] = ours;
    sample["ours"]["plan"] = toText(from, *plan);
    weigh(current, *plan, *greedy);
    figures_.add(answer->get<Taken>().by(clock_), ours.by(clock_));
    return sample;
  }

  void print() const {
    const auto& [peer, ours, ratios] = figures_;
    const Shape shape(mesh_->shape().begin(), mesh_->shape().end());
    std::printf("mesh %-20s %24s %26s %10s\n", toText(shape).c_str(), "DTensor's", "ours", "ratio");
    std::printf("  median %42s %26s %10.0f\n", peer.text(0).c_str(), ours.text(2).c_str(), ratio());
    std::printf("  99th percentile %33.0f %26.2f\n", peer.quantile(0.99), ours.quantile(0.99));
    std::printf("  longest %41.0f %26.2f\n", peer.max(), ours.max());
    std::printf("  of each pair, median %67.0f\n", ratios.median());
    std::printf("  %zu measured; refused: %d by DTensor, %d by us\n", ours.size(), leftOutByPeer_,
                leftOutByUs_);
    std::printf("  ours : our greedy plan, at most: collectives %.2f, bytes %.2f\n", collectives_,
                bytes_);
  }

  double ratio() const { return figures_.peer.median() / figures_.ours.median(); }
  double ourP99() const { return figures_.ours.quantile(0.99); }
  bool neverWorse() const { return collectives_ <= 1 && bytes_ <= 1; }

 private:
  static Result<Plan> minCost(const Spec& current, const Placements& target) {
    return makePlan(PlannerKind::MinCost, {}, current, target);
  }

  void weigh(const Spec& current, const Plan& plan, const Plan& greedy) {
    const auto count = [&](const Plan& it) { return collectiveCount(*current.mesh, it); };
    const auto bytes = [&](const Plan& it) { return priceOf({}, current, it).received; };
    collectives_ = std::max(collectives_, ratioOf(count(plan), count(greedy)));
    bytes_ = std::max(bytes_, ratioOf(bytes(plan), bytes(greedy)));
  }

  MeshPtr mesh_;
  Clock clock_;
  Figures figures_;
  int leftOutByPeer_ = 0, leftOutByUs_ = 0;
  double collectives_ = 0, bytes_ = 0;
};

void printTarget(const std::string& words, double figure, bool met) {
  std::printf("%-64s %8.1f  %s\n", words.c_str(), figure, met ? "met" : "MISSED");
}

}  // namespace

Result<json> comparePlans(Peer& peer, Clock clock) {
  struct Part {
    std::vector<int> mesh;
    std::vector<PlacementsPair> pairs;
    int rounds;
  };
  const std::vector<Part> parts = {{{4}, allPairs(1), 9},
                                   {{4, 2}, allPairs(2), 1},
                                   {{2, 2, 2}, drawnPairs(3, 400), 1},
                                   {{2, 2, 2, 2}, drawnPairs(4, 100), 1}};
  std::printf("\nplans of f32%s at least cost, %s time in microseconds, median [quartiles]\n",
              toText(kShape).c_str(), std::string(clockName(clock)).c_str());
  json samples = json::array();
  double ratio = std::numeric_limits<double>::infinity(), p99 = 0;
  bool neverWorse = true;
  for (const auto& part : parts) {
    MeshComparison mesh(part.mesh, clock);
    for (int round = 0; round < part.rounds; ++round) {
      for (const auto& pair : part.pairs) {
        auto sample = mesh.compare(peer, pair);
        if (!sample) return sample;
        samples.push_back(std::move(*sample));
      }
    }
    mesh.print();
    ratio = std::min(ratio, mesh.ratio());
    p99 = mesh.ourP99();
    neverWorse = neverWorse && mesh.neverWorse();
  }
  printTarget("times faster than DTensor's graph planner, at least 200", ratio,
              ratio >= kTimesFaster);
  printTarget("99th percentile of plans on 4 mesh dimensions, at most 2000 us", p99,
              p99 <= kLongest);
  std::printf("%-64s %8s  %s\n", "never more collectives or bytes than our greedy plan", "",
              neverWorse ? "met" : "MISSED");
  return samples;
}

}  // namespace shardlens
