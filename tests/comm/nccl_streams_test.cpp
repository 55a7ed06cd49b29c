#include "core/comm/nccl/nccl_ranks.h"
#include "core/comm/nccl_communicator.h"
#include "core/comm/recorded.h"
#include "core/trace/journal.h"
#include "tests/comm/nccl/fake_gpus.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace shardlens {
namespace {

// Two ranks, each on a GPU that is a fake.
std::unique_ptr<Communicator> twoOn(const FakeGpus& gpus) {
  auto joined = NcclRanks::join(gpus.api(), spreadOverGpus(2, 2), 0, Sharing::OneSeat, {});
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

}  // namespace
}  // namespace shardlens
