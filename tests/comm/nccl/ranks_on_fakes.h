#pragma once

#include "core/comm/nccl/device/nccl_collectives.h"
#include "tests/comm/nccl/fake_gpus.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace shardlens {

// Ranks of one process on GPUs that are fakes.
struct Layout {
  int ranks;
  int gpus;
  RanksPerGpu sharing;
  std::string name() const;
};
std::unique_ptr<NcclCollectives> join(const FakeGpus& gpus, const Layout& layout,
                                      NcclHooks surroundings = {});

// One rank's buffers: rows of integers.
using Row = std::vector<std::int32_t>;
using Rows = std::vector<Row>;
Blocks blocksOf(Rows& rows);
BlockLists blocksOf(std::vector<Rows>& lists);

// How integers are reduced: on the streams of the fakes, as a kernel does it.
BlockReduction reduceOf(FakeGpus& gpus, ReduceOp op, double factor = 1);
// The same of float32.
BlockReduction reduceFloatsOf(FakeGpus& gpus, ReduceOp op, double factor = 1);

std::vector<int> ranksUpTo(int count);

}  // namespace shardlens
