// Tests the problems of a recording: the panel, the count in the top bar, the keys for the next and
// the previous one, and the message.
#include "core/trace/file/trace_writer.h"
#include "core/trace/merge/trace_reader.h"
#include "core/trace/recorder/event_makers.h"
#include "core/trace/snapshot/state_index.h"
#include "tests/trace/named_event.h"
#include "tests/trace/sample_run.h"
#include "tests/ui/support/lookup_run.h"
#include "tests/ui/support/model_text.h"
#include "tests/ui/support/window.h"
#include "ui/models/problem_watch.h"
#include "ui/panels/problems_panel.h"
#include "ui/scenes/theme.h"
#include "ui/shell/dock_layout.h"

#include <gmock/gmock.h>

#include <QAction>
#include <QClipboard>
#include <QDockWidget>
#include <QGuiApplication>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QToolButton>
#include <cstdlib>

namespace shardlens {
namespace {

// A run that is being recorded to a file, and a window to open it in.
struct Recording : Window {
  Recording() {
    writer = TraceWriter::create(path("run.shardlens").toStdString()).value();
    recorder.addSink(*writer);
    recorder.meta("mesh", "4:tp");
    recorder.setRanks("0-3");
    x = recorder.addTensor("x", {DType::Float32, {8, 4}, {Shard{0}}});
  }
  // Records three events: an operator with a redistribution of x and its collective.
  void redistribute(const char* op) {
    const Span call(recorder, makeOperator(recorder, op), std::span(&x, 1));
    const Span move(recorder,
                    makeRedistribute(routeIn(recorder, "S(0) -> R"), x, Verdict::Implicit));
    recorder.note(
        makeCollective(recorder, CollectiveKind::AllGather, "0-3", 0, 512, {.axis = "tp"}));
  }
  void differ() {
    const CheckRecord far{.largest = "0.25", .rank = 2, .got = "1.5", .expected = "1.25"};
    recorder.note(makeCheck(recorder, "y", x, Verdict::Differs, far));
  }
  void hold() {
    const MaskPartial pending{ReduceOp::Sum, {10, 3}, 0};
    recorder.note(makeMaskEvent(recorder, pending, 1, 1, {.holder = "x'"}));
  }
  void end() {
    ASSERT_TRUE(writer->close());
    recorder.removeSinks();
  }
  void openRun() {
    ASSERT_TRUE(open(path("run.shardlens")));
    window.activateWindow();
    ASSERT_TRUE(QTest::qWaitForWindowActive(&window));
    ASSERT_TRUE(searched());
  }
  bool searched() {
    return QTest::qWaitFor([&] {
      const ProblemWatch& problems = window.problems();
      return problems.size() > 0 && !problems.isSearching();
    });
  }
  bool at(EventId position) {
    return QTest::qWaitFor([&] { return window.cursor().position() == position; });
  }
  // Raises the panel and returns its table.
  QTableView* table() {
    QTest::mouseClick(count(), Qt::LeftButton);
    return find<QTableView>("problemsView");
  }
  QPushButton* count() { return find<QPushButton>("problemCount"); }
  QString rows() {
    return QString::fromStdString(modelText(find<ProblemsPanel>("problemsPanel")->model()));
  }

  std::unique_ptr<TraceWriter> writer;
  Recorder recorder;
  TensorId x = 0;
};

// Events: 1 operator, 2 redistribution, 3 collective; the same from 4, 7 and 10; 13 a difference.
struct Mixed : Recording {
  Mixed() {
    for (int i = 0; i < 3; ++i) redistribute("aten.mm");
    redistribute("aten.add");
    differ();
    end();
    openRun();
  }
};

TEST(Problems, AreRowsWithErrorsFirst) {
  Mixed on;
  EXPECT_EQ(
      on.rows().toStdString(),
      "error | y differs from plain torch: got 1.5 on rank 2, expected 1.25 | 1 | 13\n"
      "warning | implicit redistribution before aten.mm: x S(0) -> R, 1.5 KiB sent | 3 | 2\n"
      "warning | implicit redistribution before aten.add: x S(0) -> R, 512 B sent | 1 | 11\n");
  EXPECT_EQ(on.find<ProblemsPanel>("problemsPanel")->header()->note(),
            QStringLiteral("1 error · 2 warnings"));
}

TEST(Problems, AreCountedInTheTopBarWhichRaisesThePanel) {
  Mixed on;
  EXPECT_TRUE(on.count()->isVisible());
  EXPECT_EQ(on.count()->text(), QStringLiteral("1 error · 2 warnings"));
  EXPECT_EQ(on.count()->accessibleName(), QStringLiteral("Problems: 1 error · 2 warnings"));
  EXPECT_TRUE(on.find<ProblemsPanel>("problemsPanel")->visibleRegion().isEmpty());
  QTableView* table = on.table();
  EXPECT_FALSE(table->visibleRegion().isEmpty());
  EXPECT_TRUE(table->hasFocus());
}

TEST(Problems, LeadToTheirFirstEventByClickAndByReturn) {
  Mixed on;
  QTableView* table = on.table();
  QTest::mouseClick(table->viewport(), Qt::LeftButton, {},
                    table->visualRect(table->model()->index(2, 1)).center());
  EXPECT_TRUE(on.at(11));
  QTest::keyClick(table, Qt::Key_Up);
  EXPECT_EQ(on.window.cursor().position(), 11U);
  QTest::keyClick(table, Qt::Key_Return);
  EXPECT_TRUE(on.at(2));
}

TEST(Problems, AdviseOnTheMarkedRowWhenAnotherIsFound) {
  Recording on;
  on.differ();
  on.redistribute("aten.mm");
  ASSERT_TRUE(on.writer->flush());
  on.openRun();
  QTableView* table = on.table();
  on.window.jumpTo(1);
  ASSERT_TRUE(on.at(1));
  const auto findAnother = [&](const char* op) {
    table->setCurrentIndex(table->model()->index(1, 0));
    const int rows = table->model()->rowCount();
    on.redistribute(op);
    return on.writer->flush() && QTest::qWaitFor([&] { return table->model()->rowCount() > rows; });
  };
  ASSERT_TRUE(findAnother("aten.add"));
  EXPECT_NE(table->currentIndex().row(), 0);  // chosen: the table has the focus
  on.window.setFocus();
  ASSERT_TRUE(findAnother("aten.sub"));
  EXPECT_EQ(table->currentIndex().row(), 0);
  EXPECT_TRUE(on.find<QLabel>("problemAdvice")->text().contains(QStringLiteral("y differs")));
}

TEST(Problems, ShowAdviceAndLeadToOtherOccurrences) {
  Mixed on;
  QTableView* table = on.table();
  table->setCurrentIndex(table->model()->index(1, 0));
  const auto* advice = on.find<QLabel>("problemAdvice");
  const auto* times = on.find<ElidedLabel>("problemTimes");
  auto* next = on.find<QToolButton>("nextTimeButton");
  auto* previous = on.find<QToolButton>("previousTimeButton");
  EXPECT_TRUE(advice->text().contains(QStringLiteral("<b>redistribute it once before")));
  EXPECT_EQ(times->text(), QStringLiteral("3 occurrences"));  // the position is that of the error
  EXPECT_FALSE(next->isEnabled());
  QTest::mouseClick(previous, Qt::LeftButton);
  ASSERT_TRUE(on.at(8));
  EXPECT_TRUE(
      QTest::qWaitFor([&] { return times->text() == QStringLiteral("occurrence 3 of 3"); }));
  QTest::keyClick(table, Qt::Key_Up, Qt::AltModifier);
  ASSERT_TRUE(on.at(5));
  EXPECT_TRUE(
      QTest::qWaitFor([&] { return times->text() == QStringLiteral("occurrence 2 of 3"); }));
  QTest::keyClick(table, Qt::Key_Up, Qt::AltModifier);
  ASSERT_TRUE(on.at(2));
  EXPECT_TRUE(QTest::qWaitFor([&] { return !previous->isEnabled(); }));
  QTest::keyClick(table, Qt::Key_Down, Qt::AltModifier);
  EXPECT_TRUE(on.at(5));
  table->setCurrentIndex(table->model()->index(0, 0));  // has one event
  EXPECT_TRUE(next->isHidden());
  EXPECT_EQ(times->text(), QString());
}

// The window goes to a position by other means than the panel.
TEST(Problems, AdviseOnTheWorstProblemOfThePosition) {
  Recording run;
  for (int time = 0; time < 2; ++time) run.redistribute("aten.mm");
  run.end();
  const auto reader = TraceReader::open(run.path("run.shardlens").toStdString()).value();
  const Journal& journal = reader->journal();
  StateIndex states(journal);
  ProblemWatch watch;
  watch.setJournal(journal, RunState::Ended);
  ASSERT_TRUE(QTest::qWaitFor([&] { return !watch.isSearching(); }));
  ASSERT_EQ(watch.problems()->size(), 1U);
  Problem lost;
  lost.severity = Problem::Severity::Error;
  lost.advice = "see its log";
  const EventId second = watch.problems()->front().events.at(1);
  lost.events = {second};
  watch.setEnding({lost});
  ProblemsPanel panel;
  panel.setWatch(watch);
  const auto* advice = panel.findChild<QLabel*>(QStringLiteral("problemAdvice"));
  panel.setSnapshot(journal, states.at(second - 3));
  EXPECT_TRUE(advice->text().contains(QStringLiteral("redistribute it once")));
  panel.setSnapshot(journal, states.at(second));
  EXPECT_TRUE(advice->text().contains(QStringLiteral("see its log")));
  panel.setSnapshot(journal, states.at(second - 3));
  QSignalSpy requests(&panel, &Panel::positionRequested);
  panel.findChild<QToolButton*>(QStringLiteral("nextTimeButton"))->click();
  ASSERT_EQ(requests.size(), 1);
  panel.setSnapshot(journal, states.at(second));
  EXPECT_TRUE(advice->text().contains(QStringLiteral("redistribute it once")));
  delete panel.header();
}

// The second line says where and how much; the tensor that may be placed otherwise is offered.
TEST(Problems, ShowWhereTheyAreAndWhatTheyCost) {
  Mixed on;
  QTableView* table = on.table();
  const QModelIndex what = table->model()->index(1, ProblemsTable::What);
  EXPECT_EQ(what.data(TableModel::BelowRole).toString(), QStringLiteral("1.5 KiB · 3 times"));
  EXPECT_GE(table->rowHeight(1), 2 * table->fontMetrics().height());
  auto* whatIf = on.find<QPushButton>("whatIfSuspect");
  table->setCurrentIndex(what);
  EXPECT_TRUE(whatIf->isHidden());  // x was made by nothing that is recorded
}

// A sentence that does not fit is wrapped, and the row is higher.
TEST(Problems, AreWholeInANarrowPanel) {
  Mixed on;
  QTableView* table = on.table();
  auto* panel = on.find<ProblemsPanel>("problemsPanel");
  auto* dock = on.find<QDockWidget>("problemsPanelDock");
  dock->setFloating(true);
  dock->show();
  const auto becomes = [&](int width, const auto& isReached) {
    dock->resize(width, 400);
    return QTest::qWaitFor([&] { return std::abs(panel->width() - width) < 40 && isReached(); });
  };
  int wide = 0;
  EXPECT_TRUE(becomes(900, [&] {
    wide = table->rowHeight(1);
    return !table->isColumnHidden(ProblemsTable::Times);
  }));
  EXPECT_TRUE(becomes(260, [&] {
    return table->rowHeight(1) > wide && table->isColumnHidden(ProblemsTable::Times);
  }));
  EXPECT_TRUE(becomes(900, [&] { return table->rowHeight(1) == wide; }));
}

TEST(Problems, AreVisitedByKey) {
  Mixed on;
  const auto* next = on.find<QAction>("nextProblem");
  const auto* previous = on.find<QAction>("previousProblem");
  on.press(Qt::Key_Home);
  ASSERT_TRUE(QTest::qWaitFor([&] { return next->isEnabled() && previous->isEnabled(); }));
  for (const EventId event : {2U, 5U, 8U, 11U, 13U}) {
    on.press(Qt::Key_F8);
    ASSERT_TRUE(on.at(event)) << event;
  }
  on.press(Qt::Key_F8);
  EXPECT_TRUE(on.at(2));
  EXPECT_EQ(on.message(), QStringLiteral("No later problem. This is the first one."));
  on.window.cursor().moveTo(3);
  ASSERT_TRUE(on.shows(QStringLiteral("event 3 of 13")));
  EXPECT_FALSE(on.window.messages().isVisible() &&
               on.message().startsWith(QStringLiteral("No later problem")));
  on.window.cursor().moveTo(2);
  on.press(Qt::Key_F8, Qt::ShiftModifier);
  EXPECT_TRUE(on.at(13));
  on.window.cursor().moveTo(10);
  ASSERT_TRUE(on.shows(QStringLiteral("event 10 of 13")));
  on.press(Qt::Key_F8, Qt::ShiftModifier);
  EXPECT_TRUE(on.at(8));
}

TEST(Problems, MarkTheProblemAtThePosition) {
  Mixed on;
  const TableModel& rows = on.find<ProblemsPanel>("problemsPanel")->model();
  const auto marked = [&](EventId position) {
    on.window.cursor().moveTo(position);
    EXPECT_TRUE(on.shows(QStringLiteral("event %1 of 13").arg(position)));
    return rows.markedRow();
  };
  EXPECT_EQ(marked(13), 0);
  EXPECT_EQ(marked(5), 1);
  EXPECT_EQ(marked(6), -1);
}

TEST(Problems, CurrentRowFollowsThePosition) {
  Mixed on;
  QTableView* table = on.table();
  table->setCurrentIndex(table->model()->index(0, 0));
  for (const EventId position : {5U, 6U}) {  // 6 has no problem
    on.window.cursor().moveTo(position);
    EXPECT_TRUE(on.shows(QStringLiteral("event %1 of 13").arg(position)));
    EXPECT_EQ(table->currentIndex().row(), 1) << position;
  }
}

TEST(Problems, AreFilteredAndCopied) {
  Mixed on;
  QTableView* table = on.table();
  QTest::keyClicks(table, QStringLiteral("w"));
  QTest::keyClicks(QApplication::focusWidget(), QStringLiteral("arning aten.add"));
  EXPECT_EQ(on.find<QLineEdit>("problemsViewFilter")->text(), QStringLiteral("warning aten.add"));
  ASSERT_EQ(table->model()->rowCount(), 1);
  EXPECT_TRUE(on.find<QLabel>("problemAdvice")->text().contains(QStringLiteral("aten.add")));
  table->setFocus();
  table->setCurrentIndex(table->model()->index(0, 0));
  QTest::keySequence(table, QKeySequence::Copy);
  EXPECT_EQ(QGuiApplication::clipboard()->text(),
            QStringLiteral("warning\timplicit redistribution before aten.add: x S(0) -> R, 512 B "
                           "sent\t1\t11"));
}

// The recording has no Error event. The window begins at the difference and reports it.
TEST(Problems, ErrorMessageOffersToGoToIt) {
  Mixed on;
  EXPECT_EQ(
      on.message(),
      QStringLiteral(
          "1 error · 2 warnings: y differs from plain torch: got 1.5 on rank 2, expected 1.25"));
  on.press(Qt::Key_Home);
  ASSERT_TRUE(on.at(0));
  on.click("messageAction");
  EXPECT_TRUE(on.at(13));
  on.window.redraw();
  EXPECT_TRUE(on.message().isEmpty()) << qPrintable(on.message());
}

TEST(Problems, CorrectRunHasNone) {
  Recording on;
  on.recorder.note(makeStep(on.recorder, "x = tensor()"));
  on.end();
  on.openRun();
  EXPECT_EQ(on.find<QLabel>("noProblems")->text(),
            QStringLiteral("No problems in 1 event. Results cannot be compared with plain tensors. "
                           "The recording has no scenario, so it cannot be run again."));
  EXPECT_FALSE(on.count()->isVisible());
  EXPECT_FALSE(on.find<QAction>("nextProblem")->isEnabled());
  EXPECT_TRUE(on.message().isEmpty());
}

TEST(Problems, AppearDuringTheRun) {
  Recording on;
  on.hold();
  ASSERT_TRUE(on.writer->flush());
  on.openRun();
  EXPECT_EQ(on.rows(), QString());  // it may still be released
  EXPECT_TRUE(
      on.find<QLabel>("noProblems")->text().startsWith(QStringLiteral("No problems in 1 event.")));
  on.differ();
  ASSERT_TRUE(on.writer->flush());
  EXPECT_TRUE(QTest::qWaitFor([&] { return on.count()->text() == QStringLiteral("1 error"); }));
  EXPECT_TRUE(on.message().startsWith(QStringLiteral("1 error: y differs")));
  on.end();
  EXPECT_TRUE(
      QTest::qWaitFor([&] { return on.count()->text() == QStringLiteral("1 error · 1 warning"); }));
  on.window.closeDocument();
  EXPECT_FALSE(on.count()->isVisible());
  EXPECT_EQ(on.rows(), QString());
}

// The file is as a killed process leaves it: not closed.
TEST(Problems, IncludeACrashedProcess) {
  Recording on;
  on.recorder.note(makeStep(on.recorder, "x = tensor()"));
  on.recorder.note(makeStep(on.recorder, "y = mm(x)"));
  ASSERT_TRUE(on.writer->flush());
  for (const char* ending : {"", "-wal"}) {
    ASSERT_TRUE(QFile::copy(on.path("run.shardlens") + QLatin1String(ending),
                            on.path("dead.shardlens") + QLatin1String(ending)));
  }
  ASSERT_TRUE(on.open(on.path("dead.shardlens")));
  ASSERT_TRUE(on.searched());
  EXPECT_EQ(
      on.rows(),
      QStringLiteral("error | ranks 0–3 died without closing their recording, of which the last "
                     "event is y = mm(x) | 1 | 2\n"));
  EXPECT_EQ(on.count()->text(), QStringLiteral("1 error"));
  EXPECT_TRUE(on.message().startsWith(QStringLiteral("Ranks 0–3 died without closing")));
}

// The search takes several slices. The event loop runs between them, and the panel shows the
// progress.
TEST(Problems, AreSearchedForInSlices) {
  constexpr EventId kMany = 300'000;
  Recording on;
  while (on.recorder.note(Event{}) < kMany) {
  }
  on.differ();
  on.end();
  ASSERT_TRUE(on.window.openPath(on.path("run.shardlens")));
  ASSERT_TRUE(QTest::qWaitFor([&] { return !on.window.isOpening(); }, 60000));
  const ProblemWatch& problems = on.window.problems();
  EXPECT_TRUE(problems.isSearching());
  EXPECT_TRUE(on.find<QLabel>("noProblems")
                  ->text()
                  .startsWith(QStringLiteral("Searching 300001 events for problems: ")));
  std::vector<EventId> seen;
  while (problems.isSearching()) {
    QCoreApplication::processEvents();
    seen.push_back(problems.seen());
  }
  EXPECT_GT(seen.size(), 3U);
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
  EXPECT_EQ(on.count()->text(), QStringLiteral("1 error"));
}

TEST(Problems, ListOnlyTheFirstOccurrences) {
  Recording on;
  for (std::size_t i = 0; i <= Problem::kMostEvents; ++i) {
    on.differ();
  }
  on.end();
  on.openRun();
  EXPECT_EQ(on.find<ElidedLabel>("problemTimes")->text(),
            QStringLiteral("occurrence 1 of 101, the first 100 are listed"));
}

}  // namespace
}  // namespace shardlens
