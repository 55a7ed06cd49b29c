#include "core/trace/recorder/program_recorder.h"

#include "core/trace/journal/journal.h"
#include "core/trace/journal/operator_steps.h"
#include "core/trace/recorder/event_makers.h"

#include <gtest/gtest.h>

namespace shardlens {
namespace {

using Site = std::shared_ptr<const SiteRecord>;

Site siteAt(const std::string& file, int line) {
  return std::make_shared<const SiteRecord>(
      SiteRecord{.file = file, .line = line, .pass = "forward"});
}

// A program at site_, whose autograd is in the state autograd_. The clock has the time time_.
class ProgramRecorderTest : public testing::Test {
 protected:
  ProgramRecorderTest() {
    recorder_.addSink(journal_);
    recorder_.setClock([this] { return time_; });
    program_.attach(recorder_);
  }

  EventId event(const std::string& name) { return recorder_.note(makeOperator(recorder_, name)); }
  SiteRecord siteOf(EventId id) const { return readSite(journal_.text(journal_.at(id).site)); }

  // Returns "step 1: a b; step 2: c": each Step event with the events in it.
  std::string steps() const {
    std::string text;
    for (EventId id = 1; id <= journal_.size(); ++id) {
      const Event event = journal_.at(id);
      const bool isStep = event.kind == EventKind::Step;
      if (isStep && !text.empty()) text += "; ";
      if (!isStep) text += event.parent == 0 ? " (none) " : " ";
      text += std::string(journal_.name(event)) + (isStep ? ":" : "");
    }
    return text;
  }

  Site site_ = siteAt("/train.py", 1);
  ProgramRecorder::Autograd autograd_;
  std::int64_t time_ = 0;
  Journal journal_;
  Recorder recorder_;
  ProgramRecorder program_{{.file = "/train.py",
                            .site = [this] { return site_; },
                            .autograd = [this] { return autograd_; }}};
};

TEST_F(ProgramRecorderTest, AStepBeginsWithTheFirstEventAfterItWasAnnounced) {
  program_.nextStep("step 1");
  EXPECT_EQ(journal_.size(), 0U);
  event("a");
  event("b");
  program_.nextStep("step 2");
  event("c");
  EXPECT_EQ(steps(), "step 1: a b; step 2: c");
  EXPECT_EQ(journal_.at(1).step, 0);
  EXPECT_EQ(journal_.at(3).step, 0);
  EXPECT_EQ(journal_.at(4).step, 1);
  EXPECT_EQ(journal_.at(5).parent, 4U);
}

TEST_F(ProgramRecorderTest, EventsBeforeTheFirstStepBelongToNone) {
  event("a");
  EXPECT_EQ(steps(), " (none) a");
  EXPECT_EQ(journal_.at(1).step, -1);
}

TEST_F(ProgramRecorderTest, AStepLastsUntilTheNextOneIsAnnounced) {
  time_ = 10;
  program_.nextStep("step 1");
  event("a");
  time_ = 30;
  program_.nextStep("step 2");
  EXPECT_EQ(journal_.at(1).duration, Event::kRunning);
  time_ = 100;
  event("b");
  EXPECT_EQ(journal_.at(1).duration, 20);
  time_ = 150;
  program_.stop();
  EXPECT_EQ(journal_.at(3).duration, 50);
}

TEST_F(ProgramRecorderTest, AStepThatIsStoppedAfterTheNextOneWasAnnouncedLastsUntilThen) {
  program_.nextStep("step 1");
  event("a");
  time_ = 30;
  program_.nextStep("step 2");
  time_ = 100;
  program_.stop();
  EXPECT_EQ(steps(), "step 1: a");
  EXPECT_EQ(journal_.at(1).duration, 30);
}

TEST_F(ProgramRecorderTest, ACancelledStepLeavesTheCurrentOneRunning) {
  program_.nextStep("step 1");
  event("a");
  time_ = 30;
  program_.nextStep("step 2");
  EXPECT_TRUE(program_.cancelStep());
  event("b");
  time_ = 50;
  program_.nextStep("step 2");
  event("c");
  EXPECT_FALSE(program_.cancelStep());
  EXPECT_EQ(steps(), "step 1: a b; step 2: c");
  EXPECT_EQ(journal_.at(1).duration, 50);
}

TEST_F(ProgramRecorderTest, StepsOutsideOfASelectionHaveNoOperators) {
  ProgramRecorder program({.file = "/train.py",
                           .site = [this] { return site_; },
                           .autograd = [this] { return autograd_; },
                           .operators = StepSelection::parse("1,4").value()});
  program_.stop();
  program.attach(recorder_);
  program.nextStep("step 1");
  EXPECT_TRUE(program.recordsOperators());
  event("a");
  program.nextStep("step 2");
  EXPECT_FALSE(program.recordsOperators());
  EXPECT_TRUE(program.cancelStep());
  EXPECT_TRUE(program.recordsOperators());
  EXPECT_FALSE(program.takeGap());
  program.nextStep("step 2");
  program.beginStep();
  program.beginStep();
  program.nextStep("step 3");
  event("b");
  program.nextStep("step 4");
  EXPECT_TRUE(program.recordsOperators());
  EXPECT_TRUE(program.takeGap());
  EXPECT_FALSE(program.takeGap());
  event("c");
  EXPECT_EQ(steps(), "step 1: a; step 2:; step 3: b; step 4: c");
  const std::vector<RankRange> observed{{0, 0}, {3, 3}};
  EXPECT_EQ(stepsWithOperators(journal_), observed);
}

TEST_F(ProgramRecorderTest, WithoutASelectionAllStepsHaveOperators) {
  program_.nextStep("step 1");
  event("a");
  program_.nextStep("step 2");
  EXPECT_TRUE(program_.recordsOperators());
  event("b");
  EXPECT_FALSE(program_.takeGap());
  EXPECT_EQ(stepsWithOperators(journal_), std::nullopt);
}

TEST_F(ProgramRecorderTest, AStepDoesNotBeginInsideOfAnOperator) {
  program_.nextStep("step 1");
  event("a");
  const EventId call = recorder_.begin(makeOperator(recorder_, "b"));
  program_.nextStep("step 2");
  program_.beginStep();
  recorder_.end(call);
  event("c");
  EXPECT_EQ(steps(), "step 1: a b; step 2: c");
}

TEST_F(ProgramRecorderTest, AnErrorBelongsToTheStepThatRan) {
  program_.nextStep("step 1");
  event("a");
  program_.nextStep("step 2");
  EXPECT_EQ(program_.error("on purpose"), 3U);
  event("b");
  EXPECT_EQ(steps(), "step 1: a on purpose; step 2: b");
  EXPECT_EQ(journal_.at(3).kind, EventKind::Error);
}

TEST_F(ProgramRecorderTest, AnErrorBeforeAnyStepBeginsTheFirst) {
  program_.nextStep("step 1");
  program_.error("on purpose");
  event("a");
  EXPECT_EQ(steps(), "step 1: on purpose a");
}

TEST_F(ProgramRecorderTest, TopLevelEventsHaveTheSiteAndLineOfTheProgram) {
  program_.nextStep("step 1");
  event("a");
  site_ = siteAt("/layers.py", 7);
  const EventId outer = recorder_.begin(makeOperator(recorder_, "outer"));
  site_ = siteAt("/layers.py", 8);
  event("nested");
  recorder_.end(outer);
  EXPECT_EQ(journal_.at(1).line, 1) << "the step's line is that of its first event";
  EXPECT_EQ(siteOf(2), *siteAt("/train.py", 1));
  EXPECT_EQ(siteOf(3), *siteAt("/layers.py", 7));
  EXPECT_EQ(journal_.at(3).line, 0) << "of another file than the program's";
  EXPECT_EQ(siteOf(4), *siteAt("/layers.py", 7)) << "of the event around it";
}

TEST_F(ProgramRecorderTest, AnEventOfTheBackwardPassHasTheSiteOfItsForwardCall) {
  autograd_ = {.gradient = {}, .next = 5};
  const EventId forward = event("aten.mul");
  site_ = siteAt("/train.py", 9);
  autograd_ = {.gradient = 4, .next = 20};
  const EventId backward = event("aten.mul");
  autograd_ = {.gradient = 3, .next = 20};
  const EventId unknown = event("aten.add");
  EXPECT_EQ(siteOf(forward), *siteAt("/train.py", 1));
  EXPECT_EQ(siteOf(backward), (SiteRecord{.file = "/train.py", .line = 1, .pass = "backward"}));
  EXPECT_EQ(journal_.at(backward).line, 1);
  EXPECT_EQ(siteOf(unknown), (SiteRecord{.file = "/train.py", .line = 9, .pass = "backward"}));
}

TEST_F(ProgramRecorderTest, ACallbackMayEndTheRecording) {
  std::function<void()> act = [] {};
  const Site site = siteAt("/train.py", 2);
  ProgramRecorder program({.file = "/train.py",
                           .site =
                               [&] {
                                 act();
                                 return site;
                               },
                           .autograd = [] { return ProgramRecorder::Autograd{}; }});
  program_.stop();
  program.attach(recorder_);
  program.nextStep("step 1");
  event("a");
  program.nextStep("step 2");
  act = [&] {
    program.stop();
    recorder_.removeSinks();
  };
  EXPECT_EQ(event("b"), 0U);
  EXPECT_EQ(recorder_.begin(makeOperator(recorder_, "c")), 0U);
  EXPECT_EQ(steps(), "step 1: a");
  Journal next;
  recorder_.addSink(next);
  EXPECT_EQ(next.at(event("d")).parent, 0U);
}

TEST_F(ProgramRecorderTest, AfterStopEventsAreNotAttributed) {
  program_.nextStep("step 1");
  program_.stop();
  event("a");
  EXPECT_EQ(program_.error("on purpose"), 0U);
  program_.nextStep("step 2");
  EXPECT_TRUE(program_.cancelStep());
  EXPECT_EQ(steps(), " (none) a");
  EXPECT_EQ(siteOf(1), SiteRecord());
}

}  // namespace
}  // namespace shardlens
