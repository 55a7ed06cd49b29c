#include "app/bench/gpu/cases.h"
#include "kernels/cuda/rows.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace shardlens::bench {
namespace {

namespace cuda = kernels::cuda;

constexpr std::int64_t kTableRows = std::int64_t{1} << 20;
constexpr std::int64_t kFloat = sizeof(float);

std::string sizeText(std::int64_t ids, std::int64_t width) {
  return std::to_string(ids) + " of 1M x " + std::to_string(width);
}

kernels::Ids idsOf(const std::int64_t* data, std::int64_t count) {
  return {data, kernels::IdType::Int64, count};
}

}  // namespace

int roundsFor(std::int64_t bytes) {
  constexpr std::int64_t kMuch = std::int64_t{1} << 30;
  return static_cast<int>(std::clamp<std::int64_t>(kMuch / bytes, 4, 256));
}

std::vector<std::int64_t> Cases::drawnIds(std::int64_t count, Ids kind) {
  static std::mt19937_64 random(1);
  std::uniform_int_distribution<std::int64_t> row(0, kTableRows - 1);
  std::uniform_real_distribution<double> exponent(0, std::log(kTableRows));
  std::vector<std::int64_t> ids(static_cast<std::size_t>(count));
  for (auto& id : ids) {
    // The logarithm of a number is spread evenly if the number n occurs 1/n times as often as 1.
    id = kind == Ids::Even
             ? row(random)
             : std::min(static_cast<std::int64_t>(std::exp(exponent(random))) - 1, kTableRows - 1);
  }
  return ids;
}

void Cases::lookup(std::int64_t ids, std::int64_t width, std::int64_t ranks) {
  Gpu gpu;
  const std::int64_t rowBytes = width * kFloat;
  const std::int64_t own = kTableRows / ranks;
  const auto* table = gpu.randomFloats(own * width);
  const int rounds = roundsFor(2 * ids * rowBytes);
  std::vector<const std::int64_t*> lists;
  std::vector<float*> outs;
  std::int64_t found = 0;
  for (int round = 0; round < rounds; ++round) {
    const auto list = drawnIds(ids, Ids::Even);
    found += std::count_if(list.begin(), list.end(), [&](auto id) { return id < own; });
    lists.push_back(gpu.memory(list));
    outs.push_back(gpu.memory<float>(ids * width));
  }
  const kernels::TableShard shard{table, rowBytes, {0, own}};
  const double time = gpu.nanosecondsOf(rounds, [&](int round) {
    const auto i = static_cast<std::size_t>(round);
    cuda::maskedLookup(shard, idsOf(lists[i], ids), outs[i], nullptr, gpu.stream());
  });
  report("lookup " + sizeText(ids, width) +
             (ranks == 1 ? "" : " by one of " + std::to_string(ranks) + " ranks"),
         time, found / rounds * rowBytes + ids * (rowBytes + 8));
}

void Cases::gradient(std::int64_t ids, std::int64_t width, Ids kind) {
  Gpu gpu;
  const std::int64_t rowBytes = width * kFloat;
  const int rounds = std::min(roundsFor(3 * ids * rowBytes), 16);
  auto* out = gpu.memory<float>(kTableRows * width);
  std::vector<const std::int64_t*> lists;
  std::vector<const float*> grads;
  for (int round = 0; round < rounds; ++round) {
    lists.push_back(gpu.memory(drawnIds(ids, kind)));
    grads.push_back(gpu.randomFloats(ids * width));
  }
  const double time = gpu.nanosecondsOf(rounds, [&](int round) {
    const auto i = static_cast<std::size_t>(round);
    cuda::scatterAddRows(idsOf(lists[i], ids), {grads[i], kernels::FloatType::Float32, width},
                         {0, kTableRows}, std::nullopt, out, gpu.stream());
  });
  report("gradient " + sizeText(ids, width) + (kind == Ids::Zipf ? ", Zipf ids" : ""), time,
         ids * (8 + 3 * rowBytes));
}

void Cases::lookups() {
  constexpr std::int64_t kSizes[][2] = {{1 << 20, 128}, {1 << 20, 64}, {65536, 1024}, {65536, 128},
                                        {65536, 64},    {4096, 1024},  {4096, 128}};
  for (const auto& [ids, width] : kSizes) {
    lookup(ids, width, 1);
    lookup(ids, width, 4);
  }
}

void Cases::gradients() {
  for (const std::int64_t ids : {4096, 65536, 1 << 20}) {
    gradient(ids, 128, Ids::Even);
    if (ids > 4096) gradient(ids, 128, Ids::Zipf);
  }
}

}  // namespace shardlens::bench
