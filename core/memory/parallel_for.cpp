#include "core/memory/parallel_for.h"

#include <ATen/Parallel.h>
#include <ATen/TensorIterator.h>
#include <ATen/ops/from_blob.h>

#include <algorithm>
#include <array>

namespace shardlens {
namespace {

constexpr std::int64_t kWorthAThread = std::int64_t{256} << 10;
constexpr std::size_t kMostThreads = 256;

// Note [Torch's threads]: at::parallel_for is a template that runs serially unless its caller is
// compiled with OpenMP, and a second OpenMP runtime would bring a second thread pool. A loop of a
// TensorIterator is compiled into torch, so torch's threads run it. Each element stands for one
// part of the work.
void runParts(std::int64_t parts, c10::function_ref<void(std::int64_t)> run) {
  static std::array<char, kMostThreads> elements;
  const auto tensor = at::from_blob(elements.data(), {parts}, at::kByte);
  auto iterator = at::TensorIterator::borrowing_nullary_op(tensor);
  const auto loop = [&](char** data, const std::int64_t* strides, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) run(data[0] + i * strides[0] - elements.data());
  };
  iterator.for_each(loop, /*grain_size=*/1);
}

}  // namespace

void parallelFor(const std::vector<Work>& pieces,
                 c10::function_ref<void(std::size_t, std::int64_t, std::int64_t)> run) {
  std::int64_t total = 0;
  for (const auto& piece : pieces) total += piece.bytes();
  const auto runRange = [&](std::int64_t begin, std::int64_t end) {
    std::int64_t start = 0;
    for (std::size_t i = 0; i < pieces.size() && start < end; ++i) {
      const auto& piece = pieces[i];
      // Both parts that meet at a byte round it to the same unit.
      const auto unit = [&](std::int64_t byte) {
        return std::clamp(byte - start, std::int64_t{0}, piece.bytes()) / piece.bytesPerUnit;
      };
      if (unit(begin) < unit(end)) run(i, unit(begin), unit(end));
      start += piece.bytes();
    }
  };
  const std::int64_t threads =
      at::in_parallel_region() ? 1 : std::min<std::int64_t>(at::get_num_threads(), kMostThreads);
  const std::int64_t parts = std::min(threads, total / kWorthAThread);
  if (parts <= 1) return runRange(0, total);
  runParts(parts,
           [&](std::int64_t part) { runRange(total * part / parts, total * (part + 1) / parts); });
}

}  // namespace shardlens
