#include "app/bench/gpu/cases.h"
#include "kernels/cuda/copy.h"
#include "kernels/cuda/cross_entropy.h"
#include "kernels/cuda/reduce.h"

#include <random>

namespace shardlens::bench {
namespace {

namespace cuda = kernels::cuda;

constexpr std::int64_t kFloat = sizeof(float);

// A floating-point type of elements on the GPU.
struct Element {
  const char* name;
  kernels::ElementType type;
  kernels::FloatType floatType;
  std::int64_t bytes;

  const void* random(Gpu& gpu, std::int64_t count) const {
    return type == kernels::ElementType::Float32 ? static_cast<const void*>(gpu.randomFloats(count))
                                                 : gpu.randomBFloat16s(count);
  }
};

constexpr Element kElements[] = {
    {"float32", kernels::ElementType::Float32, kernels::FloatType::Float32, 4},
    {"bfloat16", kernels::ElementType::BFloat16, kernels::FloatType::BFloat16, 2}};

}  // namespace

void Cases::pack(std::int64_t rows, std::int64_t columns, std::int64_t parts) {
  Gpu gpu;
  const std::int64_t part = columns / parts;
  std::vector<cuda::StridedPiece> pieces;
  const auto* whole = gpu.randomFloats(rows * columns);
  for (std::int64_t j = 0; j < parts; ++j) {
    const std::int64_t sizes[] = {rows, part}, to[] = {part, 1}, from[] = {columns, 1};
    pieces.push_back({kernels::StridedCopy(sizes, kFloat, to, from), gpu.memory<float>(rows * part),
                      whole + j * part});
  }
  const double time = gpu.nanosecondsOf(4, [&](int) { cuda::copyPieces(pieces, gpu.stream()); });
  report("pack " + std::to_string(rows) + " x " + std::to_string(columns) + " into " +
             std::to_string(parts) + " column parts",
         time, 2 * rows * columns * kFloat);
}

void Cases::pieces() {
  pack(8192, 8192, 4);
  pack(8192, 8192, 64);
  pack(8192, 8190, 6);
}

void Cases::reductions() {
  constexpr std::int64_t kBytes = std::int64_t{64} << 20;
  for (const std::size_t count : {2, 4, 8}) {
    for (const auto& element : kElements) {
      Gpu gpu;
      const std::int64_t elements = kBytes / element.bytes;
      std::vector<const void*> addends;
      for (std::size_t i = 0; i < count; ++i) addends.push_back(element.random(gpu, elements));
      void* const out[] = {gpu.memory<char>(kBytes)};
      const double time = gpu.nanosecondsOf(4, [&](int) {
        cuda::reduceTerms({addends, out, element.type, elements}, kernels::ReduceOp::Sum, 1,
                          gpu.stream());
      });
      report("sum of " + std::to_string(count) + " addends of 64 MiB, " + element.name, time,
             static_cast<std::int64_t>(count + 1) * kBytes);
    }
  }
}

void Cases::losses() {
  constexpr std::int64_t kRows = 4096, kClasses = 32768;
  for (const auto& element : kElements) {
    Gpu gpu;
    const std::int64_t bytes = kRows * kClasses * element.bytes;
    const auto* logits = element.random(gpu, kRows * kClasses);
    auto* grads = gpu.memory<char>(bytes);
    float* numbers[4];
    for (auto& each : numbers) each = gpu.memory<float>(kRows);
    const auto* upstream = gpu.memory(std::vector<float>(kRows, 1));
    std::mt19937_64 random(1);
    std::vector<std::int64_t> classes(kRows);
    for (auto& each : classes) each = static_cast<std::int64_t>(random() % kClasses);
    const kernels::RowRange all{0, kClasses};
    const kernels::LossTarget target{.ids = {gpu.memory(classes), kernels::IdType::Int64, kRows},
                                     .runs = &all,
                                     .runCount = 1,
                                     .ignored = -100};
    const kernels::LogitShard shard{logits, element.floatType, kClasses};
    const kernels::RowSums sums{numbers[0], numbers[1], numbers[2], numbers[3]};
    const auto loss = [&](int) { cuda::sumRows(shard, target, {0, kRows}, sums, gpu.stream()); };
    const auto gradient = [&](int) {
      cuda::gradRows(shard, target, {0, kRows}, sums, {upstream, 1}, grads, gpu.stream());
    };
    const auto both = [&](int round) {
      loss(round);
      gradient(round);
    };
    const std::string what = std::string(" of 4096 rows, 32768 classes, ") + element.name;
    report("loss" + what, gpu.nanosecondsOf(4, loss), bytes);
    report("loss gradient" + what, gpu.nanosecondsOf(4, gradient), 2 * bytes);
    report("loss and gradient" + what, gpu.nanosecondsOf(4, both), 3 * bytes);
  }
}

}  // namespace shardlens::bench
