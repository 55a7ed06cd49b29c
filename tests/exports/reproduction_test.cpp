#include "core/exports/reproduction.h"

#include "core/trace/recorder/event_makers.h"
#include "tests/exports/sample_step.h"
#include "tests/trace/sample_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace shardlens {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class ReproductionTest : public ::testing::Test {
 protected:
  ReproductionTest() { recorder_.addSink(journal_); }

  std::string written(int step) {
    const auto script = pytorchScript(journal_, step);
    return script ? *script : script.error().message;
  }

  // Returns the script of a program with one step, which makes this call.
  std::string writtenOf(const std::string& call) {
    recorder_.meta("mesh", "2:tp");
    recorder_.meta("scenario", R"({"steps": [{"id": "x", )" + call + "}]}");
    recorder_.setStep(0, 1);
    recorder_.note(makeStep(recorder_, "x"));
    return written(0);
  }

  Recorder recorder_;
  Journal journal_;
};

TEST_F(ReproductionTest, CreatesTheInputsCallsTheStepAndExpectsItsResult) {
  recordSampleStep(recorder_);
  const std::string script = written(1);
  EXPECT_THAT(script, StartsWith("#!/usr/bin/env python3\n"
                                 "# -*- coding: utf-8 -*-\n"  // a title cannot change it
                                 "# Step 2 of a sum | gathered: y = aten.add(x, x)\n"));
  EXPECT_THAT(script, HasSubstr("torchrun --nproc-per-node 2 THIS_FILE\n"));
  EXPECT_THAT(script, HasSubstr(R"(READ = {
    "x": Recorded(
        torch.int16, [3], ((2,), ("tp",), (0, 1)), [Shard(0)],
        [
            ((0,), [2], [1, -2]),
            ((1,), [1], [3]),
        ]),
})"));
  EXPECT_THAT(script, HasSubstr(R"(EXPECTED = {
    "y": Recorded(
        torch.int16, [3], ((2,), ("tp",), (0, 1)), [Replicate()],
        [
            ((0, 1), [3], [2, -4, 6]),
        ]),
})"));
  EXPECT_THAT(script, HasSubstr(R"(
    keep(t, "y", aten.add.Tensor(t["x"], t["x"], **{"alpha": 1}))
)"));
  EXPECT_THAT(script, Not(HasSubstr("@")));
}

TEST_F(ReproductionTest, DistributesTheTensorsOfTheScenario) {
  recordSampleStep(recorder_);
  EXPECT_THAT(written(0), HasSubstr(R"(
    keep(t, "x", distribute_tensor(dense({"data": [1, -2, 3], "dtype": "int16"}), )"
                                    R"(mesh_of(*((2,), ("tp",), (0, 1))), [Shard(0)], )"
                                    R"(src_data_rank=None))
)"));
}

TEST_F(ReproductionTest, WithoutElementsIsRefused) {
  recordSampleStep(recorder_,
                   Capture({CaptureRule{}, parseCaptureRule("stats:tensor=y:rank=1").value()}));
  EXPECT_EQ(written(1),
            "step 2: the recording does not have the elements of y on rank 1, only statistics");
  EXPECT_EQ(written(2), "step 3: the recording has steps 1 to 2");
}

TEST_F(ReproductionTest, WithoutAScenarioIsRefused) {
  recordSample(recorder_);
  EXPECT_EQ(written(1), "script: The recording has no scenario, so it cannot be run again");
  recorder_.meta("path", "/job/train.py");
  recorder_.meta("source:/job/train.py", "import torch\n");
  EXPECT_EQ(written(1),
            "script: The recording is of a Python program; only scenarios can be run again here");
  recorder_.meta("scenario", R"({"steps": [1, 2]})");
  EXPECT_EQ(written(1), "step 2: the recording's scenario does not have it");
}

TEST_F(ReproductionTest, RefusesFeaturesThatDTensorLacks) {
  EXPECT_EQ(writtenOf(R"("call": "sharded_embedding")"),
            "step 1: DTensor has no counterpart of sharded_embedding");
  EXPECT_EQ(writtenOf(R"("call": "from_locals")"),
            "step 1: DTensor has no counterpart of from_locals");
  EXPECT_EQ(writtenOf(R"("call": "backward")"),
            "step 1: backward has no result; choose the gradient's step");
  EXPECT_EQ(writtenOf(R"x("call": "redistribute", "placements": ["P(premul_sum, 0.5)"])x"),
            "step 1: DTensor has no placement P(premul_sum, 0.5)");
  EXPECT_EQ(writtenOf(R"("call": "redistribute", "shard_order": {})"),
            "step 1: DTensor does not redistribute by shard_order");
  EXPECT_EQ(writtenOf(R"x("call": "aten.add(); exit")x"),
            "step 1: aten has no operator add(); exit");
  EXPECT_EQ(writtenOf(R"("call": "detach", "args": ["$w"])"),
            "step 1: the recording does not have w");
}

}  // namespace
}  // namespace shardlens
