#include "app/bench/gpu/cases.h"

#include "kernels/cuda/copy.h"
#include "kernels/cuda/cross_entropy.h"
#include "kernels/cuda/reduce.h"
#include "kernels/cuda/rows.h"

#include <algorithm>
#include <random>

namespace shardlens::bench {
namespace {

namespace cuda = kernels::cuda;

constexpr std::int64_t kTableRows = std::int64_t{1} << 20;
constexpr std::int64_t kFloat = sizeof(float);

// Returns the number of rounds so that each works on other memory, of about 1 GiB in total. No
// cache keeps the data of a round until the same round of the next queue.
int roundsFor(std::int64_t bytes) {
  constexpr std::int64_t kMuch = std::int64_t{1} << 30;
  return static_cast<int>(std::clamp<std::int64_t>(kMuch / bytes, 4, 256));
}

std::vector<std::int64_t> drawnIds(std::int64_t count) {
  static std::mt19937_64 random(1);
  std::uniform_int_distribution<std::int64_t> row(0, kTableRows - 1);
  std::vector<std::int64_t> ids(static_cast<std::size_t>(count));
  for (auto& id : ids) id = row(random);
  return ids;
}

std::string sizeText(std::int64_t ids, std::int64_t width) {
  return std::to_string(ids) + " of 1M x " + std::to_string(width);
}

kernels::Ids idsOf(const std::int64_t* data, std::int64_t count) {
  return {data, kernels::IdType::Int64, count};
}

// Measures a lookup in a table of 1M rows, as the first of `ranks` ranks does it in its part.
Figure lookupOf(std::int64_t ids, std::int64_t width, std::int64_t ranks) {
  Gpu gpu;
  const std::int64_t rowBytes = width * kFloat;
  const std::int64_t own = kTableRows / ranks;
  const auto* table = gpu.memory<float>(own * width);
  const int rounds = roundsFor(2 * ids * rowBytes);
  std::vector<const std::int64_t*> lists;
  std::vector<float*> outs;
  std::int64_t found = 0;
  for (int round = 0; round < rounds; ++round) {
    const auto list = drawnIds(ids);
    found += std::count_if(list.begin(), list.end(), [&](auto id) { return id < own; });
    lists.push_back(gpu.memory(list));
    outs.push_back(gpu.memory<float>(ids * width));
  }
  const kernels::TableShard shard{table, rowBytes, {0, own}};
  const double time = gpu.nanosecondsOf(rounds, [&](int round) {
    const auto i = static_cast<std::size_t>(round);
    cuda::maskedLookup(shard, idsOf(lists[i], ids), outs[i], nullptr, gpu.stream());
  });
  const auto name = "lookup " + sizeText(ids, width) +
                    (ranks == 1 ? "" : " by one of " + std::to_string(ranks) + " ranks");
  return {name, time, found / rounds * rowBytes + ids * (rowBytes + 8)};
}

Figure gradientOf(std::int64_t ids, std::int64_t width, bool touchedOnly) {
  Gpu gpu;
  const std::int64_t rowBytes = width * kFloat;
  const int rounds = std::min(roundsFor(3 * ids * rowBytes), 16);
  auto* out = gpu.memory<float>(touchedOnly ? ids * width : kTableRows * width);
  auto* rows = gpu.memory<std::int64_t>(ids);
  std::vector<const std::int64_t*> lists;
  std::vector<const float*> grads;
  for (int round = 0; round < rounds; ++round) {
    lists.push_back(gpu.memory(drawnIds(ids)));
    grads.push_back(gpu.memory<float>(ids * width));
  }
  const double time = gpu.nanosecondsOf(rounds, [&](int round) {
    const auto i = static_cast<std::size_t>(round);
    const kernels::RowGrads from{grads[i], kernels::FloatType::Float32, width};
    if (touchedOnly) {
      cuda::scatterAddTouchedRows(idsOf(lists[i], ids), from, {0, kTableRows}, std::nullopt,
                                  {rows, out, nullptr}, gpu.stream());
    } else {
      cuda::scatterAddRows(idsOf(lists[i], ids), from, {0, kTableRows}, std::nullopt, out,
                           gpu.stream());
    }
  });
  const std::int64_t perId = 8 + (touchedOnly ? 2 : 3) * rowBytes;
  return {(touchedOnly ? "gradient of touched rows " : "gradient ") + sizeText(ids, width), time,
          ids * perId};
}

Figure piecesOf(std::int64_t rows, std::int64_t columns, std::int64_t parts) {
  Gpu gpu;
  const std::int64_t part = columns / parts;
  std::vector<cuda::StridedPiece> pieces;
  const auto* whole = gpu.memory<float>(rows * columns);
  for (std::int64_t j = 0; j < parts; ++j) {
    const std::int64_t sizes[] = {rows, part}, to[] = {part, 1}, from[] = {columns, 1};
    pieces.push_back({kernels::StridedCopy(sizes, kFloat, to, from), gpu.memory<float>(rows * part),
                      whole + j * part});
  }
  const double time = gpu.nanosecondsOf(4, [&](int) { cuda::copyPieces(pieces, gpu.stream()); });
  return {"pack " + std::to_string(rows) + " x " + std::to_string(columns) + " into " +
              std::to_string(parts) + " column parts",
          time, 2 * rows * columns * kFloat};
}

Figure reductionOf(kernels::ElementType type, std::int64_t itemBytes, const std::string& typeName,
                   std::size_t termCount) {
  constexpr std::int64_t kBytes = std::int64_t{64} << 20;
  Gpu gpu;
  std::vector<const void*> terms;
  for (std::size_t t = 0; t < termCount; ++t) terms.push_back(gpu.memory<char>(kBytes));
  void* const out[] = {gpu.memory<char>(kBytes)};
  const double time = gpu.nanosecondsOf(4, [&](int) {
    cuda::reduceTerms({terms, out, type, kBytes / itemBytes}, kernels::ReduceOp::Sum, 1,
                      gpu.stream());
  });
  return {"sum of " + std::to_string(termCount) + " terms of 64 MiB, " + typeName, time,
          static_cast<std::int64_t>(termCount + 1) * kBytes};
}

void measureLoss(kernels::FloatType type, std::int64_t itemBytes, const std::string& typeName,
                 const Tell& tell) {
  constexpr std::int64_t kRows = 4096, kClasses = 32768;
  Gpu gpu;
  const std::int64_t bytes = kRows * kClasses * itemBytes;
  const auto* logits = gpu.memory<char>(bytes);
  auto* grads = gpu.memory<char>(bytes);
  float* numbers[5];
  for (auto& each : numbers) each = gpu.memory(std::vector<float>(kRows, 1));
  auto ids = drawnIds(kRows);
  for (auto& id : ids) id %= kClasses;
  const kernels::RowRange all{0, kClasses};
  const kernels::LossTarget target{
      .ids = idsOf(gpu.memory(ids), kRows), .runs = &all, .runCount = 1, .ignored = -100};
  const kernels::LogitShard shard{logits, type, kClasses};
  const kernels::RowSums sums{numbers[0], numbers[1], numbers[2], numbers[3]};
  const std::string what = " of 4096 rows, 32768 classes, " + typeName;
  tell({"loss" + what,
        gpu.nanosecondsOf(4,
                          [&](int) {
                            cuda::sumRows(shard, target, {0, kRows}, sums, gpu.stream());
                          }),
        bytes});
  tell({"loss gradient" + what,
        gpu.nanosecondsOf(
            4,
            [&](int) {
              cuda::gradRows(shard, target, {0, kRows}, sums, {numbers[4], 1}, grads, gpu.stream());
            }),
        2 * bytes});
}

}  // namespace

Figure measureCopy() {
  constexpr std::int64_t kBytes = std::int64_t{1} << 30;
  Gpu gpu;
  const auto* from = gpu.memory<char>(kBytes);
  auto* to = gpu.memory<char>(kBytes);
  const double time = gpu.nanosecondsOf(4, [&](int) { gpu.copy(to, from, kBytes); });
  return {"copy of 1 GiB", time, 2 * kBytes};
}

void measureLookups(const Tell& tell) {
  for (const std::int64_t width : {128, 64}) {
    for (const std::int64_t ids : {4096, 65536}) {
      tell(lookupOf(ids, width, 1));
      tell(lookupOf(ids, width, 4));
    }
  }
}

void measureGradients(const Tell& tell) {
  for (const std::int64_t ids : {4096, 65536}) {
    tell(gradientOf(ids, 128, /*touchedOnly=*/false));
    tell(gradientOf(ids, 128, /*touchedOnly=*/true));
  }
}

void measurePieces(const Tell& tell) {
  tell(piecesOf(8192, 8192, 4));
  tell(piecesOf(8192, 8192, 64));
  tell(piecesOf(8192, 8190, 6));
}

void measureReductions(const Tell& tell) {
  for (const std::size_t terms : {2, 4, 8}) {
    tell(reductionOf(kernels::ElementType::Float32, 4, "float32", terms));
    tell(reductionOf(kernels::ElementType::BFloat16, 2, "bfloat16", terms));
  }
}

void measureLosses(const Tell& tell) {
  measureLoss(kernels::FloatType::Float32, 4, "float32", tell);
  measureLoss(kernels::FloatType::BFloat16, 2, "bfloat16", tell);
}

}  // namespace shardlens::bench
