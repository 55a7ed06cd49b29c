#include "core/cluster/processes.h"
#include "core/comm/nccl/device/nccl_collectives.h"
#include "core/comm/nccl/nccl_communicator.h"
#include "core/comm/recorded.h"
#include "core/trace/journal/journal.h"
#include "tests/comm/nccl/fake_gpus.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace shardlens {
namespace {

// Returns a communicator of two ranks, each on a fake GPU.
std::unique_ptr<Communicator> twoOn(FakeGpus& gpus) {
  auto joined =
      NcclCollectives::join(gpus.api(), spreadOverGpus(2, 2), 0, {.copyBlocks = gpus.copyKernel()});
  return std::make_unique<NcclCommunicator>(std::move(joined.value()), at::kCPU,
                                            std::vector<int>{0, 1}, nullptr);
}

const GroupSet kBoth{"tp", 0, {{0, 1}}};

TEST(NcclStreams, ARecordedCollectiveLastsAsLongAsOnTheSlowestGpu) {
  FakeGpus gpus(2);
  Recorder recorder;
  Journal journal;
  recorder.addSink(journal);
  recorder.setClock([] { return 7; });
  {
    RecordedCommunicator comm(twoOn(gpus), recorder);
    const Buffers terms{at::ones({3}), at::ones({3})};
    comm.allReduce(kBoth, terms, terms, {ReduceOp::Sum});
    EXPECT_EQ(terms.front()[0].item<float>(), 2);
  }
  ASSERT_EQ(journal.size(), 1U);
  EXPECT_EQ(journal.at(1).time, 7);
  EXPECT_EQ(journal.at(1).duration, 500'000'000);
  EXPECT_EQ(gpus.problems(), std::vector<std::string>());
}

// Kernels of one GPU wait for no other, so the CPU does not wait for them, unless they are timed.
TEST(NcclStreams, ACollectiveOfOneGpuIsOnlyQueued) {
  FakeGpus gpus(1);
  {
    auto joined = NcclCollectives::join(gpus.api(), spreadOverGpus(2, 1), 0,
                                        {.copyBlocks = gpus.copyKernel()});
    NcclCommunicator comm(std::move(joined.value()), at::kCPU, {0, 1}, nullptr);
    const Buffers sent{at::ones({3}), at::ones({3})};
    const Buffers received{at::zeros({3}), at::zeros({3})};
    comm.broadcast(kBoth, 0, sent, received);
    EXPECT_EQ(received[1][0].item<float>(), 0);
    EXPECT_EQ(comm.deviceTime(), std::nullopt);
    gpus.finish();
    EXPECT_EQ(received[1][0].item<float>(), 1);
    comm.setTimed(true);
    comm.broadcast(kBoth, 0, received, sent);
    EXPECT_EQ(comm.deviceTime(), std::chrono::milliseconds(250));
  }
  EXPECT_EQ(gpus.problems(), std::vector<std::string>());
}

// While NCCL is held, kernels on a GPU run, except those that use the result of a collective.
class BesideNccl : public testing::Test {
 protected:
  void TearDown() override {
    comm_ = nullptr;
    EXPECT_EQ(gpus_.problems(), std::vector<std::string>());
    EXPECT_EQ(gpus_.alive(), 0);
  }

  void launch(const std::string& what, const at::Tensor& sees) {
    gpus_.launch(0, [this, what, sees] {
      done_.push_back(what + " sees " + std::to_string(sees.flatten()[0].item<int>()));
    });
  }

  using Done = std::vector<std::string>;
  FakeGpus gpus_{2};
  std::unique_ptr<Communicator> comm_ = twoOn(gpus_);
  Done done_;
  const Buffers ones_{at::ones({3}), at::ones({3})};
};

TEST_F(BesideNccl, RunsKernelsThatDoNotUseTheResult) {
  const Buffers sums{at::zeros({3}), at::zeros({3})};
  launch("before", sums[0]);
  const auto number = comm_->makeNextAsync();
  ASSERT_NE(number, 0U);
  gpus_.hold(true);
  comm_->allReduce(kBoth, ones_, sums, {ReduceOp::Sum});
  launch("beside", sums[0]);
  comm_->wait(number + 1);
  comm_->wait(number);
  launch("after", sums[0]);
  gpus_.finish();
  EXPECT_EQ(done_, (Done{"before sees 0", "beside sees 0"}));
  gpus_.hold(false);
  gpus_.finish();
  EXPECT_EQ(done_.back(), "after sees 2");
}

// The result is written to non-contiguous outputs when it arrives, also if the outputs were lazily
// cloned since.
TEST_F(BesideNccl, KeepsItsOutputAlive) {
  gpus_.hold(true);
  auto whole = at::zeros({2, 2});
  auto replica = at::Tensor();
  {
    const BufferLists places(2, Buffers{whole.narrow(1, 0, 1), whole.narrow(1, 1, 1)});
    const Buffers halves{at::full({2, 1}, 7.0), at::full({2, 1}, 8.0)};
    const auto all = comm_->over({0, 1});
    const auto number = all->makeNextAsync();
    all->allGather(kBoth, halves, places);
    replica = at::_lazy_clone(whole);
    gpus_.hold(false);
    gpus_.finish();
    comm_->wait(number);
  }
  const auto expected = at::tensor({7.0F, 8.0F}).expand({2, 2});
  EXPECT_TRUE(at::equal(whole, expected)) << whole;
  EXPECT_TRUE(at::equal(replica, expected));
}

TEST_F(BesideNccl, TheNextCollectiveCompletesIt) {
  const Buffers sums{at::zeros({3}), at::zeros({3})};
  comm_->makeNextAsync();
  comm_->allReduce(kBoth, ones_, sums, {ReduceOp::Sum});
  const Buffers twice{at::zeros({3}), at::zeros({3})};
  comm_->allReduce(kBoth, sums, twice, {ReduceOp::Sum});
  EXPECT_TRUE(at::equal(twice[1], at::full({3}, 4)));
}

TEST_F(BesideNccl, TheNextCallReportsAFailure) {
  const Buffers sums{at::zeros({3}), at::zeros({3})};
  comm_->makeNextAsync();
  comm_->allReduce(kBoth, ones_, sums, {ReduceOp::Sum});
  gpus_.failAt(0, 1, ncclInternalError);
  try {
    comm_->allGatherStrings("");
    ADD_FAILURE() << "nothing was thrown";
  } catch (const RankLost& failed) {
    EXPECT_EQ(std::string(failed.what()).find("all_reduce over tp: "), 0U) << failed.what();
  }
}

}  // namespace
}  // namespace shardlens
