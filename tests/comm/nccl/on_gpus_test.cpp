#include "core/comm/nccl/device/copy_kernel.h"
#include "core/comm/nccl/device/probe.h"
#include "tests/comm/nccl/ranks_on_fakes.h"

#include <gtest/gtest.h>

namespace shardlens {
namespace {

// Tests the real NCCL on all GPUs of this machine, with one, two and four ranks per GPU.
class OnGpus : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    const auto probe = probeGpus();
    if (!probe.gpus) GTEST_SKIP() << probe.gpus.error().message;
    api_ = loadGpuApi().value();
    const int gpus = countGpus(api_.cuda).value();
    const int ranks = GetParam() * gpus;
    ranks_ =
        NcclCollectives::join(api_, spreadOverGpus(ranks, gpus), 0, {.copyBlocks = copyKernel()})
            .value();
    hosted_ = ranksUpTo(ranks);
  }
  void TearDown() override {
    ranks_ = nullptr;
    for (void* data : memory_) api_.cuda.free(data);
  }

  DeviceBlock there(int rank, const Row& row) {
    const OnDevice current(api_.cuda, ranks_->device(rank));
    const std::size_t bytes = row.size() * sizeof(std::int32_t);
    EXPECT_EQ(api_.cuda.malloc(&memory_.emplace_back(), bytes + 1), cudaSuccess);
    EXPECT_EQ(api_.cuda.memcpyAsync(memory_.back(), row.data(), bytes, cudaMemcpyDefault, nullptr),
              cudaSuccess);
    return {memory_.back(), static_cast<std::int64_t>(bytes)};
  }
  // Copies a block to pageable memory, which blocks until the copy is complete.
  Row back(int rank, const DeviceBlock& block) {
    const OnDevice current(api_.cuda, ranks_->device(rank));
    Row row(static_cast<std::size_t>(block.bytes) / sizeof(std::int32_t));
    EXPECT_EQ(api_.cuda.memcpyAsync(row.data(), block.data, static_cast<std::size_t>(block.bytes),
                                    cudaMemcpyDefault, nullptr),
              cudaSuccess);
    return row;
  }
  GroupSet everyone() const { return {"tp", 0, {hosted_}}; }

  GpuApi api_;
  std::unique_ptr<NcclCollectives> ranks_;
  std::vector<int> hosted_;
  std::vector<void*> memory_;
};

TEST_P(OnGpus, SumsAreTheSumOfAll) {
  if (GetParam() > 1) GTEST_SKIP() << "requires a kernel that reduces on the GPU";
  Blocks blocks;
  for (const int rank : hosted_) blocks.push_back(there(rank, {1, rank, -rank}));
  const auto ranks = static_cast<std::int32_t>(hosted_.size());
  ranks_->allReduce(everyone(), hosted_, blocks, blocks,
                    {{ReduceOp::Sum}, sizeof(std::int32_t), ncclInt32, {}});
  ranks_->synchronize();
  const std::int32_t sum = ranks * (ranks - 1) / 2;
  for (const int rank : hosted_) {
    EXPECT_EQ(back(rank, blocks[static_cast<std::size_t>(rank)]), (Row{ranks, sum, -sum}));
  }
}

TEST_P(OnGpus, UnevenPiecesArriveWhereTheyBelong) {
  const auto piece = [](int from, int to) {
    return Row(static_cast<std::size_t>((from + 2 * to) % 3), 100 * from + to);
  };
  BlockLists sent, received, gathered;
  Blocks own;
  for (const int rank : hosted_) {
    auto& out = sent.emplace_back();
    auto& in = received.emplace_back();
    auto& all = gathered.emplace_back();
    own.push_back(there(rank, piece(rank, 0)));
    for (const int member : hosted_) {
      out.push_back(there(rank, piece(rank, member)));
      in.push_back(there(rank, Row(piece(member, rank).size(), -1)));
      all.push_back(there(rank, Row(piece(member, 0).size(), -1)));
    }
  }
  ranks_->allToAll(everyone(), hosted_, sent, received);
  ranks_->allGather(everyone(), hosted_, own, gathered);
  ranks_->synchronize();
  for (const int rank : hosted_) {
    for (const int member : hosted_) {
      const auto at = static_cast<std::size_t>(rank);
      const auto from = static_cast<std::size_t>(member);
      EXPECT_EQ(back(rank, received[at][from]), piece(member, rank));
      EXPECT_EQ(back(rank, gathered[at][from]), piece(member, 0));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Ranks, OnGpus, testing::Values(1, 2, 4),
                         [](const auto& info) { return "Each" + std::to_string(info.param); });

}  // namespace
}  // namespace shardlens
