#include "tests/comm/nccl/ranks_on_fakes.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <stdexcept>

namespace shardlens {
namespace {

template <class T>
T combined(T one, T other, ReduceOp op) {
  switch (op) {
    case ReduceOp::Product:
      return one * other;
    case ReduceOp::Min:
      return std::min(one, other);
    case ReduceOp::Max:
      return std::max(one, other);
    case ReduceOp::Bxor:
      if constexpr (std::is_integral_v<T>) return one ^ other;
      return one;
    default:
      return one + other;
  }
}

template <class T>
LocalReduce kernelOn(FakeGpus& gpus) {
  return [&gpus](int device, const std::vector<const void*>& addends,
                 const std::vector<void*>& outputs, std::int64_t count, Reduction reduction) {
    gpus.launch(device, [=] {
      for (std::int64_t i = 0; i < count; ++i) {
        const auto addend = [&](std::size_t k) {
          return static_cast<T>(static_cast<const T*>(addends[k])[i] * reduction.factor);
        };
        T result = addend(0);
        for (std::size_t k = 1; k < addends.size(); ++k) {
          result = combined(result, addend(k), reduction.op);
        }
        if (reduction.op == ReduceOp::Avg) result /= static_cast<T>(addends.size());
        for (void* output : outputs) static_cast<T*>(output)[i] = result;
      }
    });
  };
}

}  // namespace

std::string Layout::name() const { return std::to_string(ranks) + "on" + std::to_string(gpus); }

std::unique_ptr<NcclCollectives> join(FakeGpus& gpus, const Layout& layout, NcclHooks hooks) {
  hooks.copyBlocks = gpus.copyKernel();
  auto joined = NcclCollectives::join(gpus.api(), spreadOverGpus(layout.ranks, layout.gpus), 0,
                                      std::move(hooks));
  if (!joined) throw std::runtime_error(joined.error().message);
  return *std::move(joined);
}

Blocks blocksOf(Rows& rows) {
  Blocks blocks;
  for (auto& row : rows) {
    blocks.push_back({row.data(), static_cast<std::int64_t>(row.size() * sizeof(std::int32_t))});
  }
  return blocks;
}

BlockLists blocksOf(std::vector<Rows>& lists) {
  BlockLists all;
  for (auto& rows : lists) all.push_back(blocksOf(rows));
  return all;
}

BlockReduction reduceOf(FakeGpus& gpus, ReduceOp op, double factor) {
  return {{op, factor}, sizeof(std::int32_t), ncclInt32, kernelOn<std::int32_t>(gpus)};
}

BlockReduction reduceFloatsOf(FakeGpus& gpus, ReduceOp op, double factor) {
  return {{op, factor}, sizeof(float), ncclFloat32, kernelOn<float>(gpus)};
}

std::vector<int> ranksUpTo(int count) {
  std::vector<int> ranks(static_cast<std::size_t>(count));
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

}  // namespace shardlens
