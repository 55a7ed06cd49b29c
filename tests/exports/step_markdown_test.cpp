#include "core/exports/step_markdown.h"

#include "core/trace/recorder/event_makers.h"
#include "tests/exports/sample_step.h"
#include "tests/trace/sample_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace shardlens {
namespace {

using ::testing::HasSubstr;

class StepMarkdownTest : public ::testing::Test {
 protected:
  StepMarkdownTest() {
    recorder_.addSink(journal_);
    recorder_.setClock([this] { return now_ += 1500; });
  }

  std::string written(int step) {
    const auto text = stepMarkdown(journal_, step);
    return text ? *text : text.error().message;
  }

  std::int64_t now_ = 0;
  Recorder recorder_;
  Journal journal_;
};

TEST_F(StepMarkdownTest, ShowsTheInputsDecisionsAndCollectivesOfAStep) {
  recordSampleStep(recorder_);
  EXPECT_EQ(written(1), R"(### Step 2: `y = aten.add(x, x)`

a sum \| gathered, line 5, mesh tp:2, backend simulated

| tensor |  | whole | placements | ranks hold |
| --- | --- | --- | --- | --- |
| `x` | in | `i16[3]` | `S(0)` | \[2] on 0, \[1] on 1 |
| `y` | out | `i16[3]` | `R` | \[3] on each rank |

**Decisions**

- aten.add(x: i16\[3](S(0)), x: i16\[3](S(0)))
  - strategy miss, the cache is empty
  - replicate: R, R -> R, each rank receives 6 B; rather than pointwise
- x: S(0) -> R, IMPLICIT: required by the strategy, not requested by the program

**Plan** `x: S(0) → R`, estimated 7.2 us, took 1.5 us

| operation | mesh dim | result | received | memory | estimated | measured |
| --- | --- | --- | ---: | ---: | ---: | ---: |
| all\_gather | tp | R | 6 B | 9 B | 7.2 us | 1.5 us |

**Collectives**

| collective | ranks | sent | took |
| --- | --- | ---: | ---: |
| all\_gather over tp | {0,1} | 8 B | 1.5 us |

)");
}

TEST_F(StepMarkdownTest, NotesThatAStepSendsNothing) {
  recordSampleStep(recorder_);
  EXPECT_THAT(written(0), HasSubstr("\nNothing was sent.\n"));
}

TEST_F(StepMarkdownTest, CountsTheRowsThatItOmits) {
  recorder_.setStep(0, 1);
  for (int i = 0; i < 60; ++i) {
    recorder_.note(
        makeCollective(recorder_, CollectiveKind::AllReduce, "0,1", 0, 8, {.axis = "tp"}));
  }
  EXPECT_THAT(written(0), HasSubstr("\nand 10 more\n"));
}

TEST_F(StepMarkdownTest, ShowsTheErrorAndEscapesMarkdown) {
  recordSample(recorder_);
  const std::string text = written(3);
  EXPECT_THAT(text, HasSubstr("**Error** `z: buffer has been materialized`\n"));
  recorder_.setStep(4, 9);
  recorder_.note(makeStep(recorder_, "a `b`\n| c"));
  EXPECT_THAT(written(4), HasSubstr("### Step 5: `` a `b` | c ``\n"));
  const TensorId bar = recorder_.addTensor("p|q", {DType::Float32, {2}, {Replicate{}}});
  recorder_.setStep(5, 9);
  recorder_.note(makeResult(recorder_, "p|q", bar, 8, 0));
  EXPECT_THAT(written(5), HasSubstr("| `p\\|q` |"));
}

TEST_F(StepMarkdownTest, AStepThatIsNotThereIsRefused) {
  EXPECT_EQ(written(0), "step 1: the recording has no steps");
  recordSampleStep(recorder_);
  EXPECT_EQ(written(2), "step 3: the recording has steps 1 to 2");
  EXPECT_EQ(written(-1), "step 0: the recording has steps 1 to 2");
}

}  // namespace
}  // namespace shardlens
