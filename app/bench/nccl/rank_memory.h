#pragma once

#include "core/comm/nccl/device/buffers.h"
#include "core/comm/nccl/device/rank_map.h"

#include <cstdint>
#include <vector>

namespace shardlens {

// Input and output memory of kMostBytes for each rank, on the rank's GPU. Throws std::runtime_error
// if a GPU has not enough.
class RankMemory {
 public:
  static constexpr std::int64_t kMostBytes = std::int64_t{256} << 20;

  explicit RankMemory(const std::vector<GpuPlace>& places);
  ~RankMemory();
  RankMemory(const RankMemory&) = delete;
  RankMemory& operator=(const RankMemory&) = delete;

  std::int64_t ranks() const { return static_cast<std::int64_t>(in_.size()); }
  // Return the first `bytes` of each rank's memory: as one block, or in equal parts, one per rank.
  Blocks inputs(std::int64_t bytes) const { return blocks(in_, bytes); }
  Blocks outputs(std::int64_t bytes) const { return blocks(out_, bytes); }
  BlockLists inputParts(std::int64_t bytes) const { return parts(in_, bytes); }
  BlockLists outputParts(std::int64_t bytes) const { return parts(out_, bytes); }

 private:
  static Blocks blocks(const std::vector<void*>& buffers, std::int64_t bytes);
  static BlockLists parts(const std::vector<void*>& buffers, std::int64_t bytes);

  std::vector<void*> in_, out_;
};

}  // namespace shardlens
