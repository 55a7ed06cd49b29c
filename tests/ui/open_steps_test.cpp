// Tests opening some steps of a recording: by an argument, by the dialog, and when a run is large.
#include "core/trace/file/trace_writer.h"
#include "core/trace/recorder/event_makers.h"
#include "core/trace/recorder/recorder.h"
#include "tests/ui/support/window.h"
#include "ui/bridge/recording_opener.h"
#include "ui/models/run_places.h"
#include "ui/pages/open_steps_dialog.h"
#include "ui/shell/document_title.h"

#include <gtest/gtest.h>

#include <QAction>
#include <QLineEdit>

namespace shardlens {
namespace {

// Records four steps of three events each, the first with this index.
void recordSteps(const QString& path, int first = 0) {
  const auto writer = TraceWriter::create(path.toStdString()).value();
  Recorder recorder;
  recorder.addSink(*writer);
  recorder.meta("mesh", "1:dp");
  recorder.meta("hosted", "0");
  for (int step = first; step < first + 4; ++step) {
    recorder.setStep(step, first + 4);
    const EventId begun = recorder.begin(makeStep(recorder, "train()"));
    recorder.note(makeCompute(recorder, "forward"));
    recorder.note(makeCompute(recorder, "backward"));
    recorder.end(begun);
  }
  ASSERT_TRUE(writer->close());
  recorder.removeSinks();
}

class OpenSteps : public ::testing::Test {
 protected:
  OpenSteps() { recordSteps(file_); }
  ~OpenSteps() override { RecordingOpener::setMost(usual_); }

  bool opens() {
    return QTest::qWaitFor([this] { return !on_.window.isOpening(); }, 60000) &&
           on_.window.lastProblem().isEmpty();
  }
  OpenStepsDialog* dialog() { return on_.find<OpenStepsDialog>("openStepsDialog"); }
  bool hasDialog() {
    return QTest::qWaitFor([this] { return dialog() != nullptr; }, 60000);
  }
  void type(const QString& steps) { on_.find<QLineEdit>("openStepsField")->setText(steps); }
  QString status() { return on_.find<QLabel>("openStepsStatus")->text(); }
  bool canOpen() { return on_.find<QPushButton>("openStepsStart")->isEnabled(); }

  Window on_;
  QString file_ = on_.path("run.shardlens");
  std::int64_t usual_ = RecordingOpener::most();
};

TEST_F(OpenSteps, LabelsTheStepsThatAreLoaded) {
  ASSERT_TRUE(on_.window.openPath(file_, std::nullopt, std::vector<RankRange>{{1, 2}}));
  ASSERT_TRUE(opens());
  EXPECT_TRUE(on_.shows(QStringLiteral("event 6 of 6 in steps 2-3"))) << qPrintable(on_.position());
  EXPECT_EQ(on_.message(), QStringLiteral("Only steps 2-3 of 4 are loaded. Events are numbered "
                                          "from 1, and what earlier steps made is unknown."));
  EXPECT_TRUE(
      titleOf(*on_.window.document()).about.contains(QStringLiteral("steps 2-3 of 4 are loaded")));
}

TEST_F(OpenSteps, ThePaletteHasTheNumberInTheRecording) {
  ASSERT_TRUE(on_.window.openPath(file_, std::nullopt, std::vector<RankRange>{{1, 2}}));
  ASSERT_TRUE(opens());
  EXPECT_EQ(
      RunPlaces().find(on_.window.cursor().journal(), QStringLiteral("event 2")).front().title,
      QStringLiteral("Event: 2 of 6, 5 in the whole recording"));
}

TEST_F(OpenSteps, MessageOpensOtherSteps) {
  ASSERT_TRUE(on_.window.openPath(file_, std::nullopt, std::vector<RankRange>{{1, 2}}));
  ASSERT_TRUE(opens());
  on_.click("messageAction");
  ASSERT_TRUE(hasDialog());
  EXPECT_EQ(on_.find<QLineEdit>("openStepsField")->text(), QStringLiteral("2-3"));
  type(QStringLiteral("4"));
  on_.click("openStepsStart");
  ASSERT_TRUE(opens());
  EXPECT_TRUE(on_.shows(QStringLiteral("event 3 of 3 in step 4"))) << qPrintable(on_.position());
}

TEST_F(OpenSteps, OpensAllStepsAgain) {
  ASSERT_TRUE(on_.window.openPath(file_, std::nullopt, std::vector<RankRange>{{0, 0}}));
  ASSERT_TRUE(opens());
  on_.find<QAction>("openSteps")->trigger();
  ASSERT_TRUE(hasDialog());
  on_.click("openStepsAll");
  ASSERT_TRUE(opens());
  EXPECT_TRUE(on_.shows(QStringLiteral("event 12 of 12"))) << qPrintable(on_.position());
  EXPECT_TRUE(on_.message().isEmpty());
}

TEST_F(OpenSteps, RefusesStepsThatTheRunDoesNotHave) {
  ASSERT_TRUE(on_.open(file_));
  on_.find<QAction>("openSteps")->trigger();
  ASSERT_TRUE(hasDialog());
  EXPECT_EQ(on_.find<QLineEdit>("openStepsField")->text(), QStringLiteral("1-4"));
  EXPECT_TRUE(canOpen());
  for (const char* wrong : {"0", "3-5", "2-", "a", "1,b", ""}) {
    type(QLatin1String(wrong));
    EXPECT_FALSE(canOpen()) << wrong;
    EXPECT_EQ(status(), QStringLiteral("Expected steps from 1 to 4, for example 3-5,8."));
  }
}

TEST_F(OpenSteps, AsksBeforeItReadsALargeRun) {
  RecordingOpener::setMost(11);
  ASSERT_TRUE(on_.window.openPath(on_.folder.path()));
  ASSERT_TRUE(hasDialog());
  EXPECT_TRUE(on_.window.isOpening());
  EXPECT_EQ(status(), QStringLiteral("4 of 4 steps, about 12 events."));
  type(QStringLiteral("1,3"));
  EXPECT_EQ(status(), QStringLiteral("2 of 4 steps, about 6 events."));
  on_.click("openStepsStart");
  ASSERT_TRUE(opens());
  EXPECT_TRUE(on_.shows(QStringLiteral("event 6 of 6 in steps 1,3"))) << qPrintable(on_.position());
}

// Of a job, some steps may be recorded.
TEST_F(OpenSteps, OpensStepsAfterThoseThatAreNotRecorded) {
  recordSteps(file_, 99);
  RecordingOpener::setMost(11);
  ASSERT_TRUE(on_.window.openPath(on_.folder.path()));
  ASSERT_TRUE(hasDialog());
  EXPECT_EQ(on_.find<QLineEdit>("openStepsField")->text(), QStringLiteral("94-103"));
  EXPECT_TRUE(canOpen());
  EXPECT_EQ(status(), QString());
  type(QStringLiteral("104"));
  EXPECT_FALSE(canOpen());
  type(QStringLiteral("101"));
  on_.click("openStepsStart");
  ASSERT_TRUE(opens());
  EXPECT_TRUE(on_.shows(QStringLiteral("event 3 of 3 in step 101"))) << qPrintable(on_.position());
  EXPECT_TRUE(on_.message().startsWith(QStringLiteral("Only step 101 of 103 is loaded.")));
}

// 1000 events are not 3 times 333.
TEST(OpenStepsDialog, EstimatesTheEventsOfAllRanks) {
  OpenStepsDialog dialog(
      {.name = QStringLiteral("run"), .ranks = 6, .events = 1000, .steps = 3, .last = 3}, nullptr);
  EXPECT_EQ(dialog.findChild<QLabel*>(QStringLiteral("openStepsStatus"))->text(),
            QStringLiteral("3 of 3 steps, about 1000 events of all ranks."));
}

TEST_F(OpenSteps, CancellingTheDialogCancelsTheOpening) {
  RecordingOpener::setMost(11);
  ASSERT_TRUE(on_.window.openPath(on_.folder.path()));
  ASSERT_TRUE(hasDialog());
  on_.click("openStepsCancel");
  EXPECT_FALSE(on_.window.isOpening());
  EXPECT_EQ(on_.window.document(), nullptr);
}

TEST_F(OpenSteps, ReadsASmallRunWithoutQuestions) {
  RecordingOpener::setMost(12);
  ASSERT_TRUE(on_.open(on_.folder.path()));
  EXPECT_EQ(dialog(), nullptr);
  EXPECT_EQ(on_.window.document()->stepsOfRun(), 4);
}

}  // namespace
}  // namespace shardlens
