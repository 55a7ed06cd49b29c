#include "core/exports/safetensors.h"

#include "core/base/json_text.h"
#include "core/trace/recorder/event_makers.h"
#include "tests/exports/sample_step.h"
#include "tests/trace/sample_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <sstream>

namespace shardlens {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class SafetensorsTest : public ::testing::Test {
 protected:
  SafetensorsTest() { recorder_.addSink(journal_); }

  std::string refusal(int step) {
    std::ostringstream out;
    const auto written = writeSafetensors(journal_, step, out);
    return written ? "written" : written.error().message;
  }

  Recorder recorder_;
  Journal journal_;
};

TEST_F(SafetensorsTest, HasTheShardsOfAStepAndNamesThoseWithStatisticsOnly) {
  recordSampleStep(recorder_,
                   Capture({CaptureRule{}, parseCaptureRule("stats:tensor=y:rank=1").value()}));
  std::ostringstream out;
  const auto leftOut = writeSafetensors(journal_, 1, out);
  ASSERT_TRUE(leftOut) << leftOut.error().message;
  EXPECT_THAT(*leftOut, ElementsAre("rank1/y"));
  const std::string file = out.str();
  std::uint64_t size = 0;
  std::memcpy(&size, file.data(), sizeof(size));
  EXPECT_EQ(size % 8, 0U);
  EXPECT_EQ(parsedJson(file.substr(8, size)),
            json({{"__metadata__",
                   {{"x", "i16[3](S(0))"},
                    {"y", "i16[3](R)"},
                    {"shardlens.step", "2 y = aten.add(x, x)"}}},
                  {"rank0/x", {{"dtype", "I16"}, {"shape", {2}}, {"data_offsets", {0, 4}}}},
                  {"rank1/x", {{"dtype", "I16"}, {"shape", {1}}, {"data_offsets", {4, 6}}}},
                  {"rank0/y", {{"dtype", "I16"}, {"shape", {3}}, {"data_offsets", {6, 12}}}}}));
  ASSERT_EQ(file.size(), 8 + size + 12);
  std::vector<std::int16_t> elements(6);
  std::memcpy(elements.data(), file.data() + 8 + size, 12);
  EXPECT_THAT(elements, ElementsAre(1, -2, 3, 2, -4, 6));
}

TEST_F(SafetensorsTest, TensorsWithEqualNamesAreDistinguished) {
  recorder_.setCapture(CaptureLevel::All);
  recorder_.setStep(0, 1);
  for (int i = 0; i < 2; ++i) {
    const TensorId x = recorder_.addTensor("x", {DType::Bool, {1}, {Replicate{}}});
    recorder_.note(makeResult(recorder_, "x", x, 0, 0));
    recordValue(recorder_, valueOf<std::uint8_t>(x, 0, {1}, {1}));
  }
  std::ostringstream out;
  const auto leftOut = writeSafetensors(journal_, 0, out);
  ASSERT_TRUE(leftOut);
  EXPECT_THAT(*leftOut, IsEmpty());
  EXPECT_THAT(out.str(), ::testing::HasSubstr("\"rank0/x#2\""));
}

TEST_F(SafetensorsTest, AStepWithoutElementsIsRefused) {
  EXPECT_EQ(refusal(0), "step 1: the recording has no steps");
  recorder_.setCapture(CaptureLevel::Statistics);
  recorder_.setStep(0, 1);
  recorder_.note(makeStep(recorder_, "x"));
  EXPECT_EQ(refusal(0), "step 1: no values of its tensors were captured");
  const TensorId x = recorder_.addTensor("x", {DType::Bool, {1}, {Replicate{}}});
  recorder_.note(makeResult(recorder_, "x", x, 0, 0));
  recordValue(recorder_, valueOf<std::uint8_t>(x, 0, {1}, {1}));
  EXPECT_EQ(refusal(0), "step 1: only statistics of its tensors were captured");
}

}  // namespace
}  // namespace shardlens
