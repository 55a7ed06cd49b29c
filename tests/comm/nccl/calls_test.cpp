#include "tests/comm/nccl/ranks_on_fakes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

namespace shardlens {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Checks which functions of NCCL are called, in which order: only necessary calls, and by NCCL's
// rules.
class Calls : public testing::Test {
 protected:
  void TearDown() override { EXPECT_THAT(gpus_.problems(), IsEmpty()); }

  // Returns the calls after the first `before` ones.
  std::vector<std::string> since(std::size_t before) const {
    const auto all = gpus_.calls();
    return {all.begin() + static_cast<std::ptrdiff_t>(before), all.end()};
  }
  std::size_t now() const { return gpus_.calls().size(); }

  FakeGpus gpus_{4};
};

TEST_F(Calls, InitialisesAllGpusInOneGroupAndLeavesAll) {
  auto ranks = join(gpus_, {2, 2});
  EXPECT_THAT(gpus_.calls(), ElementsAre("ncclGroupStart", "ncclCommInitRankConfig 0 of 2 on 0",
                                         "ncclCommInitRankConfig 1 of 2 on 1", "ncclGroupEnd"));
  const auto before = now();
  ranks = nullptr;
  EXPECT_THAT(since(before),
              ElementsAre("ncclCommFinalize {0,1} 0 of 2", "ncclCommFinalize {0,1} 1 of 2",
                          "ncclCommDestroy {0,1} 0 of 2", "ncclCommDestroy {0,1} 1 of 2"));
  EXPECT_EQ(gpus_.alive(), 0);
}

TEST_F(Calls, NeedsNoCommunicatorOnOneGpu) {
  const auto ranks = join(gpus_, {4, 1});
  Rows rows(4, Row{1});
  ranks->allReduce({"tp", 0, {ranksUpTo(4)}}, ranksUpTo(4), blocksOf(rows), blocksOf(rows),
                   reduceOf(gpus_, ReduceOp::Sum));
  ranks->synchronize();
  gpus_.finish();
  EXPECT_EQ(rows, Rows(4, Row{4}));
  EXPECT_THAT(gpus_.calls(), IsEmpty());
}

// Kernels move everything between the ranks of one GPU, in one launch per collective.
TEST_F(Calls, LaunchesOneKernelOnOneGpu) {
  const auto ranks = join(gpus_, {4, 1});
  auto launched = [&, last = 0]() mutable {
    return gpus_.launches() - std::exchange(last, gpus_.launches());
  };
  const GroupSet all{"tp", 0, {ranksUpTo(4)}};
  Rows in(4, Row{1}), out(4, Row{0});
  std::vector<Rows> pieces(4, Rows(4, Row{2})), gathered(4, Rows(4, Row{0}));
  ranks->allReduce(all, ranksUpTo(4), blocksOf(in), blocksOf(out), reduceOf(gpus_, ReduceOp::Sum));
  EXPECT_EQ(launched(), 1) << "all_reduce";
  ranks->allReduce(all, ranksUpTo(4), blocksOf(in), blocksOf(out), reduceOf(gpus_, ReduceOp::Bxor));
  EXPECT_EQ(launched(), 1) << "all_reduce that NCCL lacks";
  ranks->allGather(all, ranksUpTo(4), blocksOf(in), blocksOf(gathered));
  EXPECT_EQ(launched(), 1) << "all_gather";
  ranks->allToAll(all, ranksUpTo(4), blocksOf(pieces), blocksOf(gathered));
  EXPECT_EQ(launched(), 1) << "all_to_all";
  ranks->broadcast(all, ranksUpTo(4), 0, blocksOf(in), blocksOf(out));
  EXPECT_EQ(launched(), 1) << "broadcast";
  ranks->scatter(all, ranksUpTo(4), 0, blocksOf(pieces), blocksOf(out));
  EXPECT_EQ(launched(), 1) << "scatter";
  ranks->synchronize();
  EXPECT_THAT(gpus_.calls(), IsEmpty());
}

TEST_F(Calls, SplitsOnceForTheGroupsOfAMeshDimension) {
  const auto ranks = join(gpus_, {4, 4});
  Rows rows(4, Row{1});
  const GroupSet pairs{"tp", 1, {{0, 1}, {2, 3}}};
  const auto before = now();
  ranks->allReduce(pairs, ranksUpTo(4), blocksOf(rows), blocksOf(rows),
                   reduceOf(gpus_, ReduceOp::Sum));
  EXPECT_THAT(
      since(before),
      ElementsAre("ncclGroupStart", "ncclCommSplit {0,1,2,3} 0 of 4 colour 0 key 0, blocking",
                  "ncclCommSplit {0,1,2,3} 1 of 4 colour 0 key 1, blocking",
                  "ncclCommSplit {0,1,2,3} 2 of 4 colour 1 key 0, blocking",
                  "ncclCommSplit {0,1,2,3} 3 of 4 colour 1 key 1, blocking", "ncclGroupEnd",
                  "ncclGroupStart", "ncclAllReduce {0,1} 0 of 2: 1 int32 sum",
                  "ncclAllReduce {0,1} 1 of 2: 1 int32 sum",
                  "ncclAllReduce {2,3} 0 of 2: 1 int32 sum",
                  "ncclAllReduce {2,3} 1 of 2: 1 int32 sum", "ncclGroupEnd"));
  const auto again = now();
  ranks->allReduce({"tp", 1, {{1, 0}, {3, 2}}}, ranksUpTo(4), blocksOf(rows), blocksOf(rows),
                   reduceOf(gpus_, ReduceOp::Sum));
  EXPECT_EQ(since(again).size(), 6U) << "the members' order makes no other communicator";
  ranks->synchronize();
}

// 4 ranks share 2 GPUs, and each group has one rank per GPU. One communicator of the GPUs serves
// both groups.
TEST_F(Calls, JoinsGpusForRanksThatShareThem) {
  const auto ranks = join(gpus_, {4, 2});
  Rows rows(4, Row{1});
  const auto before = now();
  ranks->allReduce({"dp", 0, {{0, 2}, {1, 3}}}, ranksUpTo(4), blocksOf(rows), blocksOf(rows),
                   reduceOf(gpus_, ReduceOp::Sum));
  ranks->allReduce({"", -1, {ranksUpTo(4)}}, ranksUpTo(4), blocksOf(rows), blocksOf(rows),
                   reduceOf(gpus_, ReduceOp::Sum));
  EXPECT_THAT(since(before),
              ElementsAre("ncclGroupStart", "ncclCommSplit {0,1} 0 of 2 colour 0 key 0, blocking",
                          "ncclCommSplit {0,1} 1 of 2 colour 0 key 1, blocking", "ncclGroupEnd",
                          "ncclGroupStart", "ncclAllReduce {0,1} 0 of 2: 1 int32 sum",
                          "ncclAllReduce {0,1} 1 of 2: 1 int32 sum",
                          "ncclAllReduce {0,1} 0 of 2: 1 int32 sum",
                          "ncclAllReduce {0,1} 1 of 2: 1 int32 sum", "ncclGroupEnd",
                          "ncclGroupStart", "ncclAllReduce {0,1} 0 of 2: 1 int32 sum",
                          "ncclAllReduce {0,1} 1 of 2: 1 int32 sum", "ncclGroupEnd"));
  ranks->synchronize();
}

TEST_F(Calls, TakesNcclsOwnFunctionForEqualPiecesInOrder) {
  const auto ranks = join(gpus_, {2, 2});
  const GroupSet all{"tp", 0, {{0, 1}}};
  Rows in(2, Row(3, 1));
  std::vector<Rows> equal(2, Rows(2, Row(3)));
  ranks->allGather(all, {0, 1}, blocksOf(in), blocksOf(equal));
  ranks->reduceScatter(all, {0, 1}, blocksOf(equal), blocksOf(in), reduceOf(gpus_, ReduceOp::Max));
  EXPECT_EQ(gpus_.count("ncclAllGather {0,1}"), 2);
  EXPECT_EQ(gpus_.count("ncclReduceScatter {0,1} 1 of 2: 3 int32 max"), 2 - 1);
  // Pieces of unequal sizes, or in another order, are broadcast and reduced one by one.
  ranks->allGather({"tp", 0, {{1, 0}}}, {0, 1}, blocksOf(in), blocksOf(equal));
  EXPECT_EQ(gpus_.count("ncclAllGather"), 2);
  EXPECT_EQ(gpus_.count("ncclBroadcast {0,1} 0 of 2: 12 uint8 root 1"), 1);
  std::vector<Rows> uneven(2, Rows{Row(3), Row(0)});
  Rows out{Row(3), Row(0)};
  ranks->reduceScatter(all, {0, 1}, blocksOf(uneven), blocksOf(out),
                       reduceOf(gpus_, ReduceOp::Sum));
  EXPECT_EQ(gpus_.count("ncclReduceScatter"), 2);
  EXPECT_EQ(gpus_.count("ncclReduce {0,1} 1 of 2: 3 int32 sum root 0"), 1);
  EXPECT_EQ(gpus_.count("ncclReduce {0,1} 0 of 2: 0"), 0) << "an empty block needs no call";
  ranks->synchronize();
}

// NCCL scales floats. If ranks share a GPU, the kernel on the GPU scales them before.
TEST_F(Calls, ScalesWhereItCostsLeast) {
  const auto scaled = [&](const Layout& layout, ReduceOp op) {
    const auto ranks = join(gpus_, layout);
    std::vector<float> values{1, 2, 3};
    Blocks blocks;
    for (auto& value : values) blocks.push_back({&value, sizeof value});
    ranks->allReduce({"tp", 0, {{0, 1, 2}}}, {0, 1, 2}, blocks, blocks,
                     reduceFloatsOf(gpus_, op, op == ReduceOp::PremulSum ? 0.5 : 1));
    ranks->synchronize();
    gpus_.finish();
    return values;
  };
  const Layout apart{3, 3};
  const Layout shared{3, 2};
  EXPECT_THAT(scaled(apart, ReduceOp::PremulSum), ElementsAre(3, 3, 3));
  EXPECT_EQ(gpus_.count("ncclAllReduce {0,1,2} 0 of 3: 1 float32 premul_sum"), 1);
  EXPECT_THAT(scaled(apart, ReduceOp::Avg), ElementsAre(2, 2, 2));
  EXPECT_EQ(gpus_.count("ncclAllReduce {0,1,2} 0 of 3: 1 float32 avg"), 1);
  EXPECT_THAT(scaled(shared, ReduceOp::PremulSum), ElementsAre(3, 3, 3));
  EXPECT_THAT(scaled(shared, ReduceOp::Avg), ElementsAre(2, 2, 2));
  EXPECT_EQ(gpus_.count("ncclAllReduce {0,1} 0 of 2: 1 float32 sum"), 2);
}

}  // namespace
}  // namespace shardlens
