#include "core/comm/nccl/device/probe.h"

#include <gtest/gtest.h>

namespace shardlens {
namespace {

GpuProbe everything() {
  return {"13.0", std::vector<Gpu>{{"H200", std::int64_t{139} << 30, 9, 0}},
          GpuProbe::Nccl{"2.30.7", "/somewhere/libnccl.so.2"},
          std::filesystem::path("/somewhere/libtorch_cuda.so")};
}

TEST(GpuProbe, IsReadyWhereAllIsThere) { EXPECT_TRUE(readyForGpus(everything())); }

TEST(GpuProbe, NamesTheFirstThingThatIsMissing) {
  auto probe = everything();
  probe.torchCuda = fail("no torch for GPUs");
  EXPECT_EQ(readyForGpus(probe).error().message, "no torch for GPUs");
  probe.nccl = fail("no NCCL");
  EXPECT_EQ(readyForGpus(probe).error().message, "no NCCL");
  probe.gpus = fail("no GPU");
  EXPECT_EQ(readyForGpus(probe).error().message, "no GPU");
}

// Passes on any machine: the probe returns the GPUs, or the reason why there are none.
TEST(GpuProbe, AnswersOnAnyMachine) {
  const auto probe = probeGpus();
  if (probe.gpus) {
    ASSERT_FALSE(probe.gpus->empty());
    EXPECT_FALSE(probe.gpus->front().name.empty());
    EXPECT_GT(probe.gpus->front().bytes, std::int64_t{1} << 30);
    EXPECT_GE(probe.gpus->front().major, 5);
  } else {
    EXPECT_FALSE(probe.gpus.error().message.empty());
  }
  EXPECT_EQ(probe.driver ? "" : probe.driver.error().message.substr(0, 16),
            probe.driver ? "" : "no NVIDIA driver");
}

TEST(GpuProbe, TakesTheGpuOfTheLocalRankAndElseNamesTheProcess) {
  EXPECT_EQ(gpuOfProcess("1", 1, 2).value(), 1);
  const auto refusal = [](const char* localRank, int gpus) {
    return gpuOfProcess(localRank, 3, gpus).error().message;
  };
  const std::string remedy = "; start no more processes per machine than it has GPUs";
  EXPECT_EQ(refusal("1", 1),
            "process 3: the variable LOCAL_RANK is \"1\", expected 0: its machine "
            "has 1 GPU" +
                remedy);
  EXPECT_EQ(refusal("x", 4),
            "process 3: the variable LOCAL_RANK is \"x\", expected 0 to 3: its "
            "machine has 4 GPUs" +
                remedy);
  EXPECT_EQ(refusal(nullptr, 1),
            "process 3: the variable LOCAL_RANK is not set, expected 0: its "
            "machine has 1 GPU" +
                remedy);
}

TEST(GpuProbe, WritesVersionsAsNvidiaDoes) {
  EXPECT_EQ(ncclVersionText(23007), "2.30.7");
  EXPECT_EQ(ncclVersionText(22809), "2.28.9");
}

}  // namespace
}  // namespace shardlens
