#include "core/trace/journal/journal_copy.h"

#include "core/trace/events/element_hash.h"
#include "core/trace/events/event_names.h"
#include "core/trace/recorder/event_makers.h"
#include "core/trace/snapshot/snapshot_json.h"
#include "core/trace/snapshot/state_index.h"
#include "tests/trace/named_event.h"
#include "tests/trace/sample_run.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace shardlens {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

void expectSameStates(const Journal& left, const Journal& right) {
  ASSERT_EQ(left.size(), right.size());
  EXPECT_EQ(left.meta(), right.meta());
  StateIndex leftStates(left);
  StateIndex rightStates(right);
  for (EventId position = 0; position <= left.size(); ++position) {
    ASSERT_EQ(snapshotJson(left, leftStates.at(position)).dump(),
              snapshotJson(right, rightStates.at(position)).dump())
        << "position " << position;
  }
}

std::vector<std::string> eventsText(const Journal& journal) {
  std::vector<std::string> lines;
  for (EventId id = 1; id <= journal.size(); ++id) {
    const Event event = journal.at(id);
    lines.push_back(
        fmt::format("{} {} in {}", kindName(event.kind), journal.name(event), event.parent));
  }
  return lines;
}

// A journal of three steps that use a weight; the second step changes it.
class JournalCopyTest : public ::testing::Test {
 protected:
  JournalCopyTest() {
    recorder_.addSink(journal_);
    recorder_.setCapture(CaptureLevel::All);
    recorder_.meta("mesh", "2:tp");
    w_ = recorder_.addTensor("w", {DType::Float32, {2}, {Replicate{}}});
    unused_ = recorder_.addTensor("u", {DType::Float32, {2}, {Replicate{}}});
    step(0, "make", {}, {w_, unused_});
    step(1, "change", {w_}, {w_});
    const TensorId y = recorder_.addTensor("y", {DType::Float32, {2}, {Shard{0}}});
    step(2, "use", {w_}, {y});
  }

  void step(int number, const char* line, const std::vector<TensorId>& inputs,
            const std::vector<TensorId>& outputs) {
    recorder_.setStep(number, number + 10);
    const Span step(recorder_, makeStep(recorder_, line));
    const Span call(recorder_, makeOperator(recorder_, std::string("aten.") + line), inputs);
    const float value = static_cast<float>(number);
    for (const TensorId id : outputs) {
      recorder_.note(makeResult(recorder_, journal_.tensor(id).name, id, 8, 0));
      recordValue(recorder_, valueOf<float>(id, 0, {2}, {value, value}));
    }
  }
  Journal copy(const CopiedPart& part) {
    Journal copied;
    copyJournal(journal_, part, copied);
    return copied;
  }

  Recorder recorder_;
  Journal journal_;
  TensorId w_ = 0;
  TensorId unused_ = 0;
};

TEST(JournalCopy, OfAllIsTheSameAtEveryPosition) {
  for (const unsigned seed : {0U, 1U, 2U}) {
    Recorder recorder;
    Journal journal;
    recorder.addSink(journal);
    recorder.setCapture(CaptureLevel::All);
    if (seed == 0) {
      recordSample(recorder);
    } else {
      recordRandom(recorder, seed, 400);
    }
    Journal copied;
    copyJournal(journal, {}, copied);
    expectSameStates(journal, copied);
  }
}

TEST_F(JournalCopyTest, OfAStepHasTheNewestTensorOfEachName) {
  EXPECT_THAT(eventsText(copy({.steps = {{2, 2}}})),
              ElementsAre("Step change in 0", "Operator aten.change in 1", "Result w in 2",
                          "Step use in 0", "Operator aten.use in 4", "Result y in 5"));
  EXPECT_THAT(
      eventsText(copy({.steps = {{0, 0}}})),
      ElementsAre("Step make in 0", "Operator aten.make in 1", "Result w in 2", "Result u in 2"));
  EXPECT_THAT(eventsText(copy({.steps = {{7, 9}}})), IsEmpty());
}

TEST_F(JournalCopyTest, KeepsTheNumbersOfStepsAndTheValues) {
  const Journal copied = copy({.steps = {{2, 2}}});
  EXPECT_EQ(copied.at(3).step, 1);
  EXPECT_EQ(copied.at(3).line, 11);
  EXPECT_EQ(copied.tensors(), 2);  // no copied event refers to u
  const auto value = copied.value(copied.at(3).subject, 0, copied.size());
  ASSERT_TRUE(value);
  EXPECT_EQ(value->event, 3);
  EXPECT_EQ(elementAt(DType::Float32, copied.elements(*value)->data(), 0), 1);
}

TEST_F(JournalCopyTest, KeepsValuesAtTheRequestedLevel) {
  EXPECT_EQ(copy({.values = CaptureLevel::None}).values().size(), 0);
  EXPECT_EQ(copy({}).values().size(), 4);
  const Journal statistics = copy({.values = CaptureLevel::Statistics});
  ASSERT_EQ(statistics.values().size(), 4);
  EXPECT_EQ(statistics.values().at(3)->statistics.max, 2);
  EXPECT_EQ(statistics.elements(*statistics.values().at(3)), nullptr);
  const Journal hashes = copy({.values = CaptureLevel::Hashes});
  const auto value = hashes.values().at(3).value();
  EXPECT_EQ(value.level, CaptureLevel::Hashes);
  const auto elements = journal_.elements(journal_.values().at(3).value());
  EXPECT_EQ(value.hash, elementHash(*elements));
  Journal again;
  copyJournal(hashes, {}, again);
  EXPECT_EQ(again.values().at(3)->hash, value.hash);
  const auto rule = parseCaptureRule("all:step=2").value();
  EXPECT_EQ(copy({.values = Capture({rule})}).values().size(), 1);
}

// A copied hit needs the miss that made its entry, from an earlier step.
TEST(JournalCopy, KeepsTheEventThatMadeACacheEntry) {
  Recorder recorder;
  Journal journal;
  recorder.addSink(journal);
  EventId made = 0;
  for (int step = 0; step < 3; ++step) {
    recorder.setStep(step, 1);
    const Span span(recorder, makeStep(recorder, "s" + std::to_string(step)));
    CacheAnswer answer;
    if (step > 0) answer = {.verdict = Verdict::Hit, .entry = made, .uses = step};
    answer.kept = step == 0;
    const EventId id = recorder.note(makeLookup(recorder, CacheTable::Plan, answer, std::nullopt));
    if (step > 0) continue;
    made = id;
    recorder.note(makePlan(recorder, routeIn(recorder, "S(0) -> R"), 1, 8, std::nullopt));
  }
  Journal copied;
  copyJournal(journal, {.steps = {{2, 2}}}, copied);
  EXPECT_THAT(eventsText(copied),
              ElementsAre("Step s0 in 0", "CacheLookup plan in 1", "Plan S(0) -> R in 1",
                          "Step s2 in 0", "CacheLookup plan in 4"));
  EXPECT_EQ(copied.at(5).subject, 2);
}

}  // namespace
}  // namespace shardlens
