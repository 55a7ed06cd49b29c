#pragma once

#include "core/comm/nccl/device/nccl_collectives.h"
#include "tests/comm/nccl/fake_gpus.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace shardlens {

// A number of ranks of one process on fake GPUs.
struct Layout {
  int ranks;
  int gpus;
  std::string name() const;
};
// Joins them, with the fakes' copy kernel. Throws std::runtime_error if that fails. `gpus` must
// outlive the result.
std::unique_ptr<NcclCollectives> join(FakeGpus& gpus, const Layout& layout, NcclHooks hooks = {});

// A Row is a buffer of integers; Rows are one buffer per rank, or one rank's pieces.
using Row = std::vector<std::int32_t>;
using Rows = std::vector<Row>;
// Return the blocks in the memory of the rows, which must outlive them and not be resized.
Blocks blocksOf(Rows& rows);
BlockLists blocksOf(std::vector<Rows>& lists);

// Returns a reduction of int32 whose kernel runs on the streams of the fakes.
BlockReduction reduceOf(FakeGpus& gpus, ReduceOp op, double factor = 1);
// As above, for float32.
BlockReduction reduceFloatsOf(FakeGpus& gpus, ReduceOp op, double factor = 1);

// Returns 0, 1, ..., count - 1.
std::vector<int> ranksUpTo(int count);

}  // namespace shardlens
