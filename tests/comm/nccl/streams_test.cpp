#include "tests/comm/nccl/ranks_on_fakes.h"

#include <gmock/gmock.h>

namespace shardlens {
namespace {

using testing::Each;
using testing::ElementsAre;

// Two ranks whose GPUs compute on non-default streams, as under a CUDAStreamGuard. Each rank writes
// its input on its stream before a collective, and reads the result on it afterwards.
class OnOtherStreams : public testing::TestWithParam<Layout> {
 protected:
  void SetUp() override {
    for (auto* streams : {&earlier_, &computing_}) {
      for (int device = 0; device < GetParam().gpus; ++device) {
        streams->push_back(gpus_.streamOn(device));
      }
    }
    ranks_ = join(gpus_, GetParam(), {.computingStream = [this](int device) {
                    return computing_[static_cast<std::size_t>(device)];
                  }});
  }
  void TearDown() override {
    ranks_ = nullptr;
    EXPECT_EQ(gpus_.problems(), std::vector<std::string>());
  }

  cudaStream_t streamOf(std::size_t rank) {
    return computing_[static_cast<std::size_t>(ranks_->device(static_cast<int>(rank)))];
  }
  void computeInputs() {
    for (std::size_t rank : {0, 1}) {
      gpus_.launch(streamOf(rank),
                   [this, rank] { inputs_[rank][0] = static_cast<int>(10 * rank + 1); });
    }
  }
  // Returns the results that kernels on the computing streams see after the collective.
  std::vector<Row> seenAfter(const std::vector<Rows>& results) {
    std::vector<Row> seen(2);
    for (std::size_t rank : {0, 1}) {
      gpus_.launch(streamOf(rank), [&, rank] {
        for (const auto& row : results[rank]) seen[rank].push_back(row[0]);
      });
    }
    gpus_.finish();
    return seen;
  }

  FakeGpus gpus_{GetParam().gpus};
  std::vector<cudaStream_t> earlier_;  // run before computing_
  std::vector<cudaStream_t> computing_;
  std::unique_ptr<NcclCollectives> ranks_;
  const GroupSet both_{"tp", 0, {{0, 1}}};
  Rows inputs_{Row(1), Row(1)};
};

TEST_P(OnOtherStreams, ACollectiveWaitsForEarlierKernelsAndLaterKernelsForIt) {
  std::vector<Rows> gathered(2, Rows{Row(1), Row(1)});
  computeInputs();
  ranks_->allGather(both_, {0, 1}, blocksOf(inputs_), blocksOf(gathered));
  ranks_->wait();
  EXPECT_THAT(seenAfter(gathered), ElementsAre(ElementsAre(1, 11), ElementsAre(1, 11)));
}

// The second collective of two that use scratch memory is called under other streams, which the
// fake runs first.
TEST_P(OnOtherStreams, ACollectiveReusesScratchMemoryAfterThePreviousOneHasReadIt) {
  ranks_->setMode({.overlaps = true});
  std::vector<Rows> before(2, Rows{Row(1), Row(1)});
  std::vector<Rows> after(2, Rows{Row(1), Row(1)});
  computeInputs();
  ranks_->allGather(both_, {0, 1}, blocksOf(inputs_), blocksOf(before));
  ranks_->wait();
  computing_ = earlier_;
  Rows others{Row{3}, Row{4}};
  ranks_->allGather(both_, {0, 1}, blocksOf(others), blocksOf(after));
  ranks_->wait();
  gpus_.finish();
  EXPECT_THAT(before, Each(ElementsAre(ElementsAre(1), ElementsAre(11))));
  EXPECT_THAT(after, Each(ElementsAre(ElementsAre(3), ElementsAre(4))));
}

INSTANTIATE_TEST_SUITE_P(, OnOtherStreams, testing::Values(Layout{2, 2}, Layout{2, 1}),
                         [](const auto& info) { return info.param.name(); });

}  // namespace
}  // namespace shardlens
