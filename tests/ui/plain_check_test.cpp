// Tests the comparison of a live run with plain tensors, and where the window shows its result.
#include "ui/bridge/plain_check.h"

#include "tests/ui/support/recorded_scenario.h"
#include "tests/ui/support/window.h"
#include "ui/bridge/engine_client.h"
#include "ui/shell/window_link.h"
#include "ui/widgets/whole_canvas.h"

#include <gtest/gtest.h>

#include <QAction>
#include <QFile>

namespace shardlens {
namespace {

const char* const kProgram =
    R"j({"shardlens": 1, "mesh": {"shape": [2], "names": ["tp"]}, "steps": [
    {"id": "w", "call": "from_locals", "placements": ["S(0)"], "locals": [
      {"data": [1, 2], "dtype": "float32"}, {"data": [3, 4], "dtype": "float32"}]},
    {"id": "y", "call": "aten.mul.Tensor", "args": ["$w", 2]}
  ]})j";

struct OnLiveRun : Window {
  OnLiveRun() {
    qputenv("SHARDLENS_ENGINE", SHARDLENS_ENGINE);
    PlainCheck::setEnabled(false);
    QFile file(path("program.json"));
    EXPECT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(kProgram);
    file.close();
    EXPECT_TRUE(open(path("program.json")));
  }
  ~OnLiveRun() { PlainCheck::setEnabled(false); }
  // Runs to the end. Returns the result shown there.
  std::string verdictAtTheEnd() {
    press(Qt::Key_End);
    EXPECT_TRUE(QTest::qWaitFor(
        [&] {
          return window.document()->engine()->state() == EngineClient::State::Finished &&
                 !window.cursor().waits() && window.cursor().position() == window.cursor().size();
        },
        60000));
    window.redraw();
    return find<WholeCanvas>("wholeCanvas")->verdict().toStdString();
  }
  void checkOrNot() {
    find<QAction>("checkResults")->trigger();
    EXPECT_TRUE(QTest::qWaitFor(
        [&] { return !window.isOpening() && window.cursor().position() == 0; }, 30000));
  }
};

TEST(PlainCheckOfALiveRun, StartsByCommandAndCanBeStopped) {
  OnLiveRun on;
  EXPECT_EQ(on.verdictAtTheEnd(), "complete");
  on.checkOrNot();
  EXPECT_TRUE(on.find<QAction>("checkResults")->isChecked());
  EXPECT_EQ(on.verdictAtTheEnd(), "complete · matches plain torch");
  const MainWindow other(MainWindow::Memory::Forgets);
  EXPECT_TRUE(other.findChild<QAction*>(QStringLiteral("checkResults"))->isChecked());
  on.checkOrNot();
  EXPECT_FALSE(other.findChild<QAction*>(QStringLiteral("checkResults"))->isChecked());
  EXPECT_EQ(on.verdictAtTheEnd(), "complete");
}

// A recording that was not checked can be checked by running its program.
TEST(PlainCheckOfARecording, RunsTheRecordedProgram) {
  OnLiveRun on;
  const QString recording = recordingOf(on.path("program.json"));
  ASSERT_TRUE(on.open(recording));
  const auto* none = on.find<QLabel>("noProblems");
  EXPECT_TRUE(QTest::qWaitFor([&] {
    return none->text().endsWith(QStringLiteral(
        "Results were not compared with plain tensors. To compare them: File > Check results."));
  })) << none->text().toStdString();
  on.find<QAction>("checkResults")->trigger();
  ASSERT_TRUE(QTest::qWaitFor([&] { return on.window.document()->engine() != nullptr; }, 30000));
  EXPECT_EQ(on.verdictAtTheEnd(), "complete · matches plain torch");
  EXPECT_EQ(on.message(), QStringLiteral("Same program, run again."));
  EXPECT_TRUE(QTest::qWaitFor([&] {
    return none->text().endsWith(QStringLiteral("All checked results match plain tensors."));
  })) << none->text().toStdString();
  EXPECT_TRUE(QFile::exists(recording));
  on.find<QAction>("openEarlier")->trigger();
  ASSERT_TRUE(QTest::qWaitFor([&] { return on.window.link() != nullptr; }, 30000));
  MainWindow& earlier = on.window.link()->second();
  EXPECT_TRUE(QTest::qWaitFor([&] { return earlier.isVisible(); }, 30000));
  delete &earlier;
}

TEST(PlainCheckOfAnImport, IsDisabledWithAReason) {
  OnLiveRun on;
  ASSERT_TRUE(
      on.open(QStringLiteral(SHARDLENS_SOURCE_DIR "/tests/imports/samples/debug_mode.json")));
  const QString reason =
      QStringLiteral("Recordings imported from other tools have no program to run again");
  for (const char* command : {"checkResults", "runAgain", "changeProgram", "whatIf"}) {
    EXPECT_FALSE(on.find<QAction>(command)->isEnabled()) << command;
    EXPECT_EQ(on.find<QAction>(command)->toolTip().toStdString(), reason.toStdString()) << command;
  }
}

}  // namespace
}  // namespace shardlens
