#include "tests/comm/nccl/ranks_on_fakes.h"

#include <gtest/gtest.h>

namespace shardlens {
namespace {

// Tests what the CPU has to do for a collective besides its launches: calls of CUDA that take a
// microsecond each, and are avoided where they have no use.
class Costs : public testing::TestWithParam<Layout> {
 protected:
  void TearDown() override { EXPECT_EQ(gpus_.problems(), std::vector<std::string>()); }

  void broadcast(int times) {
    const auto all = ranksUpTo(GetParam().ranks);
    for (int i = 0; i < times; ++i) {
      Rows in(all.size(), Row{7}), out(all.size(), Row{0});
      ranks_->broadcast({"tp", 0, {all}}, all, 0, blocksOf(in), blocksOf(out));
      ranks_->wait();
      gpus_.finish();
      EXPECT_EQ(out, in);
    }
  }
  int eventsMade() const { return gpus_.cudaCalls("cudaEventCreateWithFlags"); }

  FakeGpus gpus_{2};
  std::unique_ptr<NcclCollectives> ranks_ = join(gpus_, GetParam());
};

TEST_P(Costs, AreNoEventsAndNoOtherStreamUnlessNcclOverlaps) {
  broadcast(3);
  EXPECT_EQ(eventsMade(), 0);
  EXPECT_EQ(gpus_.cudaCalls("cudaEventRecord"), 0);
  EXPECT_EQ(gpus_.cudaCalls("cudaStreamWaitEvent"), 0);
  EXPECT_EQ(gpus_.cudaCalls("cudaStreamCreateWithFlags"), 0);
  EXPECT_EQ(gpus_.cudaCalls("cudaMemcpyAsync"), 0);
}

TEST_P(Costs, AreAnotherStreamOnlyIfNcclOverlaps) {
  ranks_->setOverlaps(true);
  broadcast(3);
  const int overlapping = GetParam().gpus > 1 ? GetParam().gpus : 0;
  EXPECT_EQ(gpus_.cudaCalls("cudaStreamCreateWithFlags"), overlapping);
  EXPECT_EQ(gpus_.cudaCalls("cudaStreamWaitEvent"), 3 * 2 * overlapping);
}

INSTANTIATE_TEST_SUITE_P(OfLayouts, Costs,
                         testing::Values(Layout{2, 2}, Layout{2, 1}, Layout{4, 1}),
                         [](const auto& info) { return info.param.name(); });

// A process whose GPU is not the current device, as torchrun starts them.
TEST(CostsOfTheDevice, AreOneChangeThereAndOneBack) {
  FakeGpus gpus(2);
  const auto joined =
      NcclCollectives::join(gpus.api(), {{0, 1}, {0, 1}}, 0, {.copyBlocks = gpus.copyKernel()});
  const auto& ranks = *joined;
  Rows rows{Row{1}, Row{2}};
  const int before = gpus.cudaCalls("cudaSetDevice");
  ranks->broadcast({"tp", 0, {{0, 1}}}, {0, 1}, 0, blocksOf(rows), blocksOf(rows));
  EXPECT_EQ(gpus.cudaCalls("cudaSetDevice") - before, 2);
  gpus.finish();
  EXPECT_EQ(rows[1], Row{1});
}

}  // namespace
}  // namespace shardlens
