#include "core/trace/recorder/partial_sink.h"

#include "core/trace/journal/journal.h"
#include "core/trace/recorder/event_makers.h"
#include "core/trace/recorder/recorder.h"
#include "core/trace/snapshot/state_index.h"
#include "tests/trace/sample_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace shardlens {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<int> selected(const char* text) {
  const auto steps = StepSelection::parse(text).value();
  std::vector<int> all;
  for (int step = 0; step <= 20; ++step) {
    if (steps.has(step)) all.push_back(step);
  }
  return all;
}

TEST(StepSelection, SelectsStepsRangesAndIntervals) {
  EXPECT_THAT(selected("7"), ElementsAre(7));
  EXPECT_THAT(selected("3..5,9,every=8"), ElementsAre(3, 4, 5, 8, 9, 16));
  EXPECT_THAT(selected("19..100"), ElementsAre(19, 20));
}

TEST(StepSelection, ErrorsSayWhatWasFoundAndExpected) {
  for (const char* text :
       {"", "x", "0", "5..3", "3..", "..3", "every=0", "every=", "1,,2", "-1", "1..2147483647,5"}) {
    const auto steps = StepSelection::parse(text);
    ASSERT_FALSE(steps) << text;
    EXPECT_THAT(steps.error().message, HasSubstr("expected a step (7), steps (100..110) or"));
  }
}

class PartialSinkTest : public ::testing::Test {
 protected:
  PartialSinkTest() { recorder_.addSink(sink_); }

  TensorId made(const char* name) {
    const TensorId tensor = recorder_.addTensor(name, {DType::Float32, {4}, {Shard{0}}});
    recorder_.note(makeResult(recorder_, name, tensor, 16, 0));
    return tensor;
  }
  void use(TensorId tensor) {
    const std::vector<TensorId> inputs{tensor, 0};
    const EventId id = recorder_.begin(makeOperator(recorder_, "aten.relu"), inputs);
    recorder_.end(id);
  }
  void begin(int number) { recorder_.setStep(number - 1, 1); }

  // "2 relu(w)": the step and the name of each event, with its tensors.
  static std::vector<std::string> lines(const Journal& journal) {
    std::vector<std::string> all;
    for (EventId id = 1; id <= journal.size(); ++id) {
      const Event event = journal.at(id);
      std::string line = std::to_string(event.step + 1) + " " + std::string(journal.name(event));
      for (const TensorId input : journal.inputs(id)) {
        line += input == 0 ? " ?" : " " + std::string(journal.text(journal.nameOf(input)));
      }
      all.push_back(line);
    }
    return all;
  }

  PartialSink sink_{StepSelection::parse("2..3,every=5").value()};
  Recorder recorder_;
  Journal journal_;
};

TEST_F(PartialSinkTest, ForwardsTheSelectedStepsOnly) {
  sink_.forwardTo(&journal_);
  for (int step = 1; step <= 6; ++step) {
    begin(step);
    use(0);
  }
  recorder_.note(makeError(recorder_, "failed"));
  EXPECT_THAT(lines(journal_),
              ElementsAre("2 aten.relu ? ?", "3 aten.relu ? ?", "5 aten.relu ? ?", "6 failed"));
}

TEST_F(PartialSinkTest, TensorsMadeBeforeAreKnownWithTheirPlacement) {
  sink_.forwardTo(&journal_);
  begin(1);
  recorder_.setSite({.file = "a.py", .line = 7});
  const TensorId weight = made("weight");
  made("unused");
  begin(2);
  recorder_.setSite({.file = "a.py", .line = 9});
  use(weight);
  use(weight);
  EXPECT_THAT(lines(journal_),
              ElementsAre("2 weight", "2 aten.relu weight ?", "2 aten.relu weight ?"));
  EXPECT_EQ(journal_.tensors(), 1U);
  EXPECT_EQ(journal_.tensor(1).placements, (Placements{Shard{0}}));
  EXPECT_THAT(std::string(journal_.text(journal_.at(1).site)), HasSubstr("7"));
  StateIndex states(journal_);
  EXPECT_TRUE(states.at(2).tensor(1));
}

TEST_F(PartialSinkTest, SpansAndReferencesKeepTheirEvents) {
  sink_.forwardTo(&journal_);
  begin(1);
  const EventId step = recorder_.begin(makeStep(recorder_, "a"));
  const EventId miss = recorder_.note(makeLookup(
      recorder_, CacheTable::Plan, {.verdict = Verdict::Miss, .kept = true}, std::nullopt));
  begin(2);
  const EventId call = recorder_.begin(makeOperator(recorder_, "aten.mm"));
  recorder_.note(makeLookup(recorder_, CacheTable::Plan, {.verdict = Verdict::Hit, .entry = miss},
                            std::nullopt));
  const EventId own = recorder_.note(makeLookup(
      recorder_, CacheTable::Plan, {.verdict = Verdict::Miss, .kept = true}, std::nullopt));
  recorder_.note(makeLookup(recorder_, CacheTable::Plan, {.verdict = Verdict::Hit, .entry = own},
                            std::nullopt));
  recorder_.end(call);
  recorder_.end(step);
  ASSERT_EQ(journal_.size(), 4U);
  EXPECT_EQ(journal_.at(1).parent, 0U);  // the step is not forwarded
  EXPECT_NE(journal_.at(1).duration, Event::kRunning);
  EXPECT_EQ(journal_.at(2).parent, 1U);
  EXPECT_EQ(journal_.at(2).subject, 0U);  // neither is the miss
  EXPECT_EQ(journal_.at(4).subject, 3U);
  StateIndex(journal_).at(journal_.size());
}

TEST_F(PartialSinkTest, ARecordingThatBeginsLaterHasWhatItRefersTo) {
  recorder_.meta("mesh", "4:tp");
  begin(2);
  const TensorId weight = made("weight");
  use(weight);
  EXPECT_EQ(journal_.size(), 0U);
  sink_.forwardTo(&journal_);
  begin(3);
  use(weight);
  EXPECT_THAT(lines(journal_), ElementsAre("3 weight", "3 aten.relu weight ?"));
  EXPECT_EQ(journal_.meta("mesh"), "4:tp");
  Journal next;
  sink_.forwardTo(&next);
  begin(5);
  use(weight);
  EXPECT_THAT(lines(next), ElementsAre("5 weight", "5 aten.relu weight ?"));
  EXPECT_EQ(journal_.size(), 2U);
}

TEST_F(PartialSinkTest, ValuesOfForwardedEventsAreForwarded) {
  Recorder recorder;
  PartialSink sink{StepSelection::parse("2").value()};
  sink.forwardTo(&journal_);
  recorder.setCapture(CaptureLevel::All);
  recorder.addSink(sink);
  for (int step = 0; step < 3; ++step) {
    recorder.setStep(step, 1);
    const TensorId tensor = recorder.addTensor("x", {DType::Float32, {1}, {Shard{0}}});
    recorder.note(makeResult(recorder, "x", tensor, 4, 0));
    recordValue(recorder, valueOf<float>(tensor, 0, {1}, {static_cast<float>(step)}));
  }
  ASSERT_EQ(journal_.values().size(), 1U);
  EXPECT_EQ(journal_.values().at(0)->statistics.max, 1);
  EXPECT_EQ(journal_.values().at(0)->event, 1U);
}

// Memory is bounded: tensors beyond the first and the recent ones are unknown.
TEST_F(PartialSinkTest, TensorsThatAreForgottenAreUnknown) {
  sink_.forwardTo(&journal_);
  begin(1);
  const SpecId spec = recorder_.intern(Spec(DType::Float32, {4}, {Shard{0}}));
  const TensorId first = recorder_.addTensor("first", spec);
  TensorId forgotten = 0;
  for (TensorId i = 0; i <= PartialSink::kMostFirst; ++i)
    forgotten = recorder_.addTensor("t", spec);
  for (TensorId i = 0; i < PartialSink::kMostRecent; ++i) recorder_.addTensor("t", spec);
  const TensorId recent = recorder_.addTensor("recent", spec);
  begin(2);
  for (const TensorId each : {first, forgotten, recent}) use(each);
  EXPECT_THAT(lines(journal_),
              ElementsAre("2 aten.relu first ?", "2 aten.relu ? ?", "2 aten.relu recent ?"));
}

}  // namespace
}  // namespace shardlens
