#include "tests/ui/support/window.h"

#include "core/trace/tensor_ranks.h"
#include "core/trace/trace_file.h"
#include "tests/ui/support/lookup_run.h"
#include "ui/panels/steps_panel.h"

#include <gmock/gmock.h>

#include <QAction>
#include <QDockWidget>
#include <QFile>
#include <QMimeData>

namespace shardlens {
namespace {

struct OnRecording : Window {
  OnRecording() {
    writeLookup(path("run.shardlens"));
    opened = window.openPath(path("run.shardlens"));
    opened = opened && shows(QStringLiteral("step 0 of 25"));
  }
  bool opened = false;
};

TEST(Window, OpensARecordingAtItsStart) {
  OnRecording on;
  EXPECT_TRUE(on.opened);
  EXPECT_TRUE(on.shows(QStringLiteral("step 0 of 25")));
  EXPECT_EQ(on.window.windowTitle(), QStringLiteral("vocabulary-parallel embedding — Shardlens"));
}

TEST(Window, MovesByButton) {
  OnRecording on;
  on.click("stepButton");
  on.click("stepButton");
  EXPECT_TRUE(on.shows(QStringLiteral("step 2 of 25")));
  on.click("backButton");
  EXPECT_TRUE(on.shows(QStringLiteral("step 1 of 25")));
  on.click("overButton");
  EXPECT_TRUE(on.shows(QStringLiteral("step 3 of 25")));
  on.click("endButton");
  EXPECT_TRUE(on.shows(QStringLiteral("step 25 of 25")));
  EXPECT_FALSE(on.find<QPushButton>("stepButton")->isEnabled());
  on.click("startButton");
  EXPECT_TRUE(on.shows(QStringLiteral("step 0 of 25")));
  EXPECT_FALSE(on.find<QPushButton>("backButton")->isEnabled());
}

TEST(Window, MovesByKey) {
  OnRecording on;
  on.press(Qt::Key_Right);
  on.press(Qt::Key_F10);
  EXPECT_TRUE(on.shows(QStringLiteral("step 2 of 25")));
  on.press(Qt::Key_Left);
  EXPECT_TRUE(on.shows(QStringLiteral("step 1 of 25")));
  on.press(Qt::Key_End);
  EXPECT_TRUE(on.shows(QStringLiteral("step 25 of 25")));
  on.press(Qt::Key_F10, Qt::ShiftModifier);
  EXPECT_TRUE(on.shows(QStringLiteral("step 24 of 25")));
  on.press(Qt::Key_Home);
  EXPECT_TRUE(on.shows(QStringLiteral("step 0 of 25")));
}

TEST(Window, JumpsToAClickedEvent) {
  OnRecording on;
  auto* view = on.find<QAbstractItemView>("stepsView");
  auto* steps = on.find<StepsPanel>("stepsPanel");
  const QRect row = view->visualRect(steps->model().indexOf(7));
  QTest::mouseClick(view->viewport(), Qt::LeftButton, {}, row.center());
  EXPECT_TRUE(on.shows(QStringLiteral("step 7 of 25")));
}

TEST(Window, GoesToTheEndOfAClickedLine) {
  OnRecording on;
  auto* view = on.find<QAbstractItemView>("programView");
  const QRect row = view->visualRect(view->model()->index(1, 0));
  QTest::mouseClick(view->viewport(), Qt::LeftButton, {}, row.center());
  EXPECT_TRUE(on.shows(QStringLiteral("step 4 of 25")));
}

// Two processes write one step after another; the window shows what both have.
struct OnProcesses : Window {
  OnProcesses() {
    for (const int rank : {0, 1}) {
      const QString name = path(rank == 0 ? "rank-0.shardlens" : "rank-1.shardlens");
      writers.push_back(TraceWriter::create(name.toStdString()).value());
      recorders.push_back(std::make_unique<Recorder>());
      recorders.back()->addSink(*writers.back());
      recorders.back()->meta("mesh", "2:tp");
      recorders.back()->meta("hosted", std::to_string(rank));
      note(rank);
    }
  }
  void note(std::size_t process) {
    Event event;
    event.name = recorders[process]->intern("a step");
    recorders[process]->note(event);
    EXPECT_TRUE(writers[process]->flush());
  }
  std::vector<std::unique_ptr<TraceWriter>> writers;
  std::vector<std::unique_ptr<Recorder>> recorders;
};

TEST(Window, FollowsTheRecordingsOfProcesses) {
  OnProcesses on;
  ASSERT_TRUE(on.window.openPath(on.folder.path()));
  EXPECT_THAT(hostedRanks(on.window.cursor().journal()), testing::ElementsAre(0, 1));
  on.click("endButton");
  EXPECT_TRUE(on.shows(QStringLiteral("step 1, live …"))) << qPrintable(on.position());
  on.note(0);
  on.note(1);
  EXPECT_TRUE(on.shows(QStringLiteral("step 2, live …"))) << qPrintable(on.position());
  on.note(1);  // process 0 does not come: it is shown without it
  EXPECT_TRUE(on.shows(QStringLiteral("step 3, live …"))) << qPrintable(on.position());
  EXPECT_THAT(absentRanks(on.window.cursor().journal(), 3), testing::ElementsAre(0));
  on.note(0);
  EXPECT_TRUE(
      QTest::qWaitFor([&] { return absentRanks(on.window.cursor().journal(), 3).empty(); }, 10000));
  for (const auto& writer : on.writers) {
    EXPECT_TRUE(writer->close());
  }
  EXPECT_TRUE(on.shows(QStringLiteral("step 3 of 3"))) << qPrintable(on.position());
  EXPECT_TRUE(on.message().isEmpty()) << qPrintable(on.message());
}

TEST(Window, OffersTheOtherProcessesOfARecording) {
  OnProcesses on;
  ASSERT_TRUE(on.window.openPath(on.path("rank-1.shardlens")));
  EXPECT_THAT(hostedRanks(on.window.cursor().journal()), testing::ElementsAre(1));
  on.click("messageAction");
  EXPECT_EQ(on.window.document()->path(), on.folder.path());
  EXPECT_THAT(hostedRanks(on.window.cursor().journal()), testing::ElementsAre(0, 1));
  EXPECT_TRUE(on.message().isEmpty()) << qPrintable(on.message());
}

TEST(Window, AMissingFileLeavesWhatIsOpen) {
  OnRecording on;
  EXPECT_FALSE(on.window.openPath(on.path("none.shardlens")));
  EXPECT_TRUE(on.message().contains(QStringLiteral("no such file")));
  on.click("stepButton");
  EXPECT_TRUE(on.shows(QStringLiteral("step 1 of 25")));
  on.click("messageClose");
  EXPECT_FALSE(on.window.messages().isVisible());
}

TEST(Window, ADamagedRecordingIsNamed) {
  Window on;
  QFile file(on.path("bad.shardlens"));
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  file.write("this is no recording");
  file.close();
  EXPECT_FALSE(on.window.openPath(file.fileName()));
  EXPECT_TRUE(on.message().contains(QStringLiteral("bad.shardlens"))) << qPrintable(on.message());
  EXPECT_TRUE(on.window.messages().isVisible());
  EXPECT_TRUE(on.find<QWidget>("welcomePage")->isVisible());
}

TEST(Window, ClosesToTheWelcomePageAndOpensAgain) {
  OnRecording on;
  on.click("endButton");
  ASSERT_TRUE(on.shows(QStringLiteral("step 25 of 25")));
  on.window.closeDocument();
  EXPECT_TRUE(on.find<QWidget>("welcomePage")->isVisible());
  EXPECT_FALSE(on.find<QDockWidget>("stepsPanelDock")->isVisible());
  EXPECT_TRUE(on.window.openPath(on.path("run.shardlens")));
  EXPECT_TRUE(on.shows(QStringLiteral("step 0 of 25")));
  EXPECT_TRUE(on.find<QDockWidget>("stepsPanelDock")->isVisible());
}

TEST(Window, PutsAHiddenPanelBack) {
  OnRecording on;
  auto* dock = on.find<QDockWidget>("cachesPanelDock");
  dock->close();
  EXPECT_FALSE(dock->isVisible());
  on.window.resetLayout();
  EXPECT_TRUE(dock->isVisible());
}

TEST(Window, HasADarkLook) {
  OnRecording on;
  on.press(Qt::Key_D, Qt::ControlModifier);
  EXPECT_TRUE(theme().dark());
  EXPECT_TRUE(on.settled());
  on.press(Qt::Key_D, Qt::ControlModifier);
  EXPECT_FALSE(theme().dark());
}

TEST(Window, ShowsItsKeysAndItsLegend) {
  OnRecording on;
  on.press(Qt::Key_Question);
  EXPECT_TRUE(QTest::qWaitFor([&] { return on.find<QWidget>("shortcutSheet") != nullptr; }));
  on.press(Qt::Key_F1);
  auto* legend = on.find<QWidget>("legend");
  ASSERT_NE(legend, nullptr);
  EXPECT_FALSE(legend->grab().isNull());
}

TEST(Window, EveryControlHasAnAccessibleName) {
  OnRecording on;
  on.click("endButton");
  ASSERT_TRUE(on.shows(QStringLiteral("step 25 of 25")));
  for (const QWidget* widget : on.window.findChildren<QWidget*>()) {
    const bool control = widget->inherits("QAbstractButton") || widget->inherits("QComboBox") ||
                         widget->inherits("QAbstractItemView") || widget->inherits("QChartView");
    const bool ours = !widget->objectName().startsWith(QStringLiteral("qt_")) &&
                      !widget->inherits("QComboBoxListView") && !widget->inherits("QHeaderView") &&
                      !widget->inherits("QTableCornerButton") &&
                      !widget->inherits("QMenuBarExtension");
    if (control && ours) {
      const bool named =
          !widget->accessibleName().isEmpty() || widget->parentWidget()->inherits("QTableView");
      EXPECT_TRUE(named) << widget->metaObject()->className() << " "
                         << qPrintable(widget->objectName());
    }
  }
}

}  // namespace
}  // namespace shardlens
