// Tests actions by keyboard and by clicks inside of the panels.
#include "core/view/tables/candidates_table.h"
#include "tests/ui/support/lookup_run.h"
#include "tests/ui/support/window.h"
#include "ui/panels/buffers_panel.h"
#include "ui/panels/program_panel.h"
#include "ui/panels/shards_panel.h"
#include "ui/panels/steps_panel.h"
#include "ui/widgets/refcount_chart.h"
#include "ui/widgets/row_actions.h"

#include <gmock/gmock.h>

#include <QAction>
#include <QChart>
#include <QClipboard>
#include <QComboBox>
#include <QGuiApplication>
#include <QHeaderView>
#include <QLineSeries>
#include <QSet>
#include <QStandardItemModel>
#include <QTableView>
#include <QTreeView>

namespace shardlens {
namespace {

struct OnRecording : Window {
  OnRecording() {
    recordLookup(journal);
    writeLookup(path("run.shardlens"));
    EXPECT_TRUE(open(path("run.shardlens")));
    window.activateWindow();
    EXPECT_TRUE(QTest::qWaitForWindowActive(&window));
  }
  bool at(EventId position) {
    const QString shown = QStringLiteral(" %1 of").arg(position);
    return QTest::qWaitFor([&] { return this->position().contains(shown); });
  }
  bool go(EventId position) {
    window.cursor().moveTo(position);
    return at(position);
  }
  bool go(EventKind kind, int nth = 0) { return go(LookupRun::find(journal, kind, nth)); }
  QAbstractItemView* view(const char* name) { return find<QAbstractItemView>(name); }
  void clickRow(const char* name, int row) {
    QAbstractItemView* in = view(name);
    QTest::mouseClick(in->viewport(), Qt::LeftButton, {},
                      in->visualRect(in->model()->index(row, 0)).center());
  }
  static QImage picture(QWidget* widget) { return widget->grab().toImage(); }
  bool showsRow(QAbstractItemView* in) {
    return in->viewport()->rect().contains(in->visualRect(in->currentIndex()));
  }
  Journal journal;
};

TEST(Keyboard, TabLeavesEveryTable) {
  OnRecording on;
  ASSERT_TRUE(on.go(on.journal.size()));
  for (const char* name : {"cachesView", "planView", "stepsView", "programView"}) {
    QWidget* view = on.view(name);
    view->setFocus();
    ASSERT_TRUE(view->hasFocus()) << name;
    QTest::keyClick(view, Qt::Key_Tab);
    EXPECT_FALSE(view->hasFocus()) << name;
  }
}

TEST(Keyboard, TabReachesEveryControl) {
  OnRecording on;
  ASSERT_TRUE(on.go(on.journal.size()));
  on.view("stepsView")->setFocus();
  QSet<QWidget*> visited;
  for (int press = 0; press < 100; ++press) {
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
    visited.insert(QApplication::focusWidget());
  }
  for (const char* name : {"stepsView", "cachesView", "programView", "tensorChoice"}) {
    EXPECT_TRUE(visited.contains(on.find<QWidget>(name))) << name;
  }
}

TEST(Keyboard, ShowsWhichRowHasTheFocus) {
  OnRecording on;
  ASSERT_TRUE(on.go(on.journal.size()));
  for (const char* name : {"cachesView", "planView", "stepsView", "programView"}) {
    QAbstractItemView* view = on.view(name);
    view->clearFocus();
    const QImage without = OnRecording::picture(view);
    view->setFocus();
    const QImage with = OnRecording::picture(view);
    EXPECT_NE(without, with) << name;
    view->setCurrentIndex(view->model()->index(0, 0));
    const QImage first = OnRecording::picture(view);
    QTest::keyClick(view, Qt::Key_Down);
    EXPECT_EQ(first == OnRecording::picture(view), view->model()->rowCount() == 1) << name;
  }
}

TEST(Keyboard, UpDownAndReturnMoveInTheSteps) {
  OnRecording on;
  ASSERT_TRUE(on.go(6));
  auto* view = on.view("stepsView");
  const StepsModel& model = on.find<StepsPanel>("eventsPanel")->model();
  view->setFocus();
  EXPECT_EQ(model.eventOf(view->currentIndex()), 6U);
  QTest::keyClick(view, Qt::Key_Down);
  EXPECT_EQ(model.eventOf(view->currentIndex()), 7U);
  EXPECT_EQ(on.window.cursor().position(), 6U);  // the selection does not move the cursor
  QTest::keyClick(view, Qt::Key_Return);
  EXPECT_TRUE(on.at(7));
  QTest::keyClick(view, Qt::Key_Up);
  QTest::keyClick(view, Qt::Key_Up);
  QTest::keyClick(view, Qt::Key_Return);
  EXPECT_TRUE(on.at(5));
  QTest::keyClick(view, Qt::Key_Right);  // a key of the window
  EXPECT_TRUE(on.at(6));
}

TEST(Keyboard, FoldsAndUnfoldsASteps) {
  OnRecording on;
  ASSERT_TRUE(on.go(6));
  auto* view = on.find<QTreeView>("stepsView");
  view->setFocus();
  const QModelIndex row = view->currentIndex();
  EXPECT_TRUE(view->isExpanded(row));
  QTest::keyClick(view, Qt::Key_Minus);
  EXPECT_FALSE(view->isExpanded(row));
  ASSERT_TRUE(on.go(5));
  ASSERT_TRUE(on.go(6));
  EXPECT_FALSE(view->isExpanded(row));
  QTest::keyClick(view, Qt::Key_Plus);
  EXPECT_TRUE(view->isExpanded(row));
}

TEST(Keyboard, ReturnGoesToAProgramLine) {
  OnRecording on;
  ASSERT_TRUE(on.go(6));
  auto* view = on.view("programView");
  view->setFocus();
  EXPECT_EQ(view->currentIndex().row(), 2);
  QTest::keyClick(view, Qt::Key_Up);
  QTest::keyClick(view, Qt::Key_Return);
  EXPECT_TRUE(on.at(4));
}

TEST(Keyboard, CopiesARow) {
  OnRecording on;
  ASSERT_TRUE(on.go(EventKind::Candidates));
  auto* view = on.view("candidatesView");
  view->setFocus();
  view->setCurrentIndex(view->model()->index(1, 0));
  QTest::keySequence(view, QKeySequence::Copy);
  EXPECT_EQ(QGuiApplication::clipboard()->text(),
            QStringLiteral("column-wise\tS(1), R\tS(1)\t90 B\t6.7 us"));
}

TEST(Keyboard, CopiedCellsStayInTheirColumns) {
  QStandardItemModel model(1, 4);
  model.setItem(0, 0, new QStandardItem(QStringLiteral("a")));
  model.setItem(0, 2, new QStandardItem(QStringLiteral("c")));
  QTableView view;
  view.setModel(&model);
  offerCopying(view);
  QAction* copy = view.findChild<QAction*>(QStringLiteral("copyRow"));
  view.setCurrentIndex(model.index(0, 1));
  copy->trigger();
  EXPECT_EQ(QGuiApplication::clipboard()->text(), QStringLiteral("a\t\tc"));
  view.setCurrentIndex({});
  copy->trigger();
  EXPECT_EQ(QGuiApplication::clipboard()->text(), QStringLiteral("a\t\tc"));
}

TEST(Tables, HeadingSortsAndThirdClickRestoresTheOrder) {
  OnRecording on;
  ASSERT_TRUE(on.go(EventKind::Candidates));
  auto* view = qobject_cast<QTableView*>(on.view("candidatesView"));
  auto* heads = view->horizontalHeader();
  const auto firstAfterClick = [&] {
    const QPoint cost(heads->sectionViewportPosition(view::CandidatesTable::Cost) + 8, 8);
    QTest::mouseClick(heads->viewport(), Qt::LeftButton, {}, cost);
    return view->model()->index(0, 0).data().toString();
  };
  EXPECT_EQ(firstAfterClick(), QStringLiteral("row-wise"));
  EXPECT_TRUE(heads->isSortIndicatorShown());
  EXPECT_EQ(firstAfterClick(), QStringLiteral("batch"));  // ties with replicate, keeps the order
  EXPECT_EQ(firstAfterClick(), QStringLiteral("row-wise"));
  EXPECT_FALSE(heads->isSortIndicatorShown());
}

TEST(Links, CacheEntryLeadsToItsLastLookup) {
  OnRecording on;
  ASSERT_TRUE(on.go(on.journal.size()));
  on.clickRow("cachesView", 0);
  EXPECT_TRUE(on.at(LookupRun::find(on.journal, EventKind::CacheLookup)));
}

TEST(Links, CandidatesAndPlansLeadToTheirEvent) {
  OnRecording on;
  ASSERT_TRUE(on.go(EventKind::Result, 3));
  on.clickRow("candidatesView", 2);
  EXPECT_TRUE(on.at(LookupRun::find(on.journal, EventKind::Candidates)));
  ASSERT_TRUE(on.go(on.journal.size()));
  on.clickRow("planView", 0);
  EXPECT_TRUE(on.at(LookupRun::find(on.journal, EventKind::Plan, 1)));
}

TEST(Links, RefcountChartLeadsToTheNearestChange) {
  OnRecording on;
  ASSERT_TRUE(on.go(on.journal.size()));
  auto* chart = on.find<RefcountChart>("refcountChart");
  const EventId change = LookupRun::find(on.journal, EventKind::MaskMaterialized, 1);
  const QPointF place = chart->chart()->mapToPosition(QPointF(change + 0.2, 1),
                                                      const_cast<QLineSeries*>(&chart->past()));
  QTest::mouseClick(chart->viewport(), Qt::LeftButton, {}, chart->mapFromScene(place));
  EXPECT_TRUE(on.at(change));
}

TEST(Choice, BufferChoiceCanBeReset) {
  OnRecording on;
  ASSERT_TRUE(on.go(on.journal.size()));
  auto* choice = on.find<QComboBox>("bufferChoice");
  EXPECT_EQ(choice->currentText(), QStringLiteral("newest"));
  const auto choose = [choice](int row) {
    choice->setCurrentIndex(row);
    Q_EMIT choice->activated(row);
  };
  choose(1);
  EXPECT_EQ(choice->currentText(), QStringLiteral("#1"));
  choose(0);
  EXPECT_EQ(choice->currentText(), QStringLiteral("newest"));
  choose(1);
  on.window.closeDocument();
  ASSERT_TRUE(on.open(on.path("run.shardlens")));
  ASSERT_TRUE(on.go(on.journal.size() - 1));
  EXPECT_EQ(choice->currentText(), QStringLiteral("newest"));
}

TEST(Choice, SurvivesPositionsBeforeTheTensor) {
  OnRecording on;
  ASSERT_TRUE(on.go(on.journal.size()));
  auto* choice = on.find<QComboBox>("tensorChoice");
  choice->setCurrentIndex(2);
  const QString chosen = choice->currentText();
  ASSERT_TRUE(chosen.startsWith(u'x'));
  ASSERT_TRUE(on.go(1));
  EXPECT_EQ(choice->currentText(), QStringLiteral("current tensor"));
  ASSERT_TRUE(on.go(on.journal.size()));
  EXPECT_EQ(choice->currentText(), chosen);
}

TEST(CurrentRow, StaysInViewAtEachSize) {
  OnRecording on;
  for (const char* name : {"stepsView", "programView"}) {
    QAbstractItemView* view = on.view(name);
    ASSERT_TRUE(on.go(on.journal.size()));
    on.window.resize(1280, 560);
    EXPECT_TRUE(QTest::qWaitFor([&] { return on.showsRow(view); })) << name;
    on.window.resetLayout();
    EXPECT_TRUE(QTest::qWaitFor([&] { return on.showsRow(view); })) << name;
    on.window.messages().showMessage(QStringLiteral("test"),
                                     {.text = QStringLiteral("one\ntwo\nthree")});
    EXPECT_TRUE(QTest::qWaitFor([&] { return on.showsRow(view); })) << name;
    on.press(Qt::Key_Home);
    ASSERT_TRUE(on.at(0));
    EXPECT_EQ(view->indexAt({4, 4}), view->model()->index(0, 0)) << name;
    on.window.messages().clear();
    on.window.resize(1280, 800);
  }
}

}  // namespace
}  // namespace shardlens
