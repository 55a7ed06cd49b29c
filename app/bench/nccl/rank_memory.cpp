#include "app/bench/nccl/rank_memory.h"

#include "app/bench/gpu/gpu.h"

#include <cuda_runtime_api.h>

namespace shardlens {

RankMemory::RankMemory(const std::vector<GpuPlace>& places) {
  for (const auto& place : places) {
    bench::check(cudaSetDevice(place.device), "choice of the GPU");
    for (auto* buffers : {&in_, &out_}) {
      void* data = nullptr;
      bench::check(cudaMalloc(&data, kMostBytes), "memory of a rank");
      buffers->push_back(data);
      bench::check(cudaMemset(data, 0, kMostBytes), "zeros");
    }
  }
  bench::check(cudaSetDevice(0), "choice of the GPU");
}

RankMemory::~RankMemory() {
  for (const auto* buffers : {&in_, &out_}) {
    for (void* data : *buffers) cudaFree(data);
  }
}

Blocks RankMemory::blocks(const std::vector<void*>& buffers, std::int64_t bytes) {
  Blocks blocks;
  for (void* data : buffers) blocks.push_back({data, bytes});
  return blocks;
}

BlockLists RankMemory::parts(const std::vector<void*>& buffers, std::int64_t bytes) {
  const auto count = static_cast<std::int64_t>(buffers.size());
  const std::int64_t part = bytes / count;
  BlockLists lists;
  for (void* data : buffers) {
    auto& list = lists.emplace_back();
    for (std::int64_t i = 0; i < count; ++i) {
      list.push_back({static_cast<char*>(data) + i * part, part});
    }
  }
  return lists;
}

}  // namespace shardlens
