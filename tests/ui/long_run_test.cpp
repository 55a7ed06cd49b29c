// Tests a large recording: the cost of a step depends on the visible rows, not on the total.
#include "tests/ui/support/long_run.h"

#include "app/bench/window/event_loop_watch.h"
#include "core/view/tables/caches_table.h"
#include "tests/ui/support/window.h"
#include "ui/panels/steps_panel.h"
#include "ui/widgets/steps_view.h"
#include "ui/widgets/table_view.h"

#include <gtest/gtest.h>

#include <QComboBox>
#include <QDockWidget>
#include <QHeaderView>
#include <QLineEdit>

namespace shardlens {
namespace {

// A window on the run, with all panels open. Each test records the blocks of the event loop.
struct Long : Window {
  Long() {
    LongRun::write(path("run.shardlens"));
    EXPECT_TRUE(open(path("run.shardlens")));
    for (QDockWidget* dock : window.findChildren<QDockWidget*>()) {
      dock->show();
    }
    go(size());
    watch.emplace();
  }
  ~Long() {
    testing::Test::RecordProperty("longest_block_ms", std::to_string(watch->longest()));
    testing::Test::RecordProperty("late_blocks", watch->late());
  }
  EventId size() { return window.cursor().size(); }
  void go(EventId position) {
    window.cursor().moveTo(position);
    EXPECT_TRUE(shows(QStringLiteral("event %1 of %2").arg(position).arg(size())));
    window.grab();
  }
  // Returns positions at the start, at the end and in between, both adjacent and far apart.
  std::vector<EventId> places() {
    std::vector<EventId> all;
    for (EventId place = 1; place <= 8; ++place) {
      for (const EventId beside : {0U, 1U, 2U}) {
        all.push_back(size() / 8 * place - beside);
      }
    }
    all.push_back(1);
    return all;
  }
  std::optional<EventLoopWatch> watch;
};

// Wraps states to count the accesses.
template <class State>
States<State> counted(const States<State>& states, std::size_t& count) {
  return {states.size(), [states, &count](std::size_t place) {
            ++count;
            return states[place];
          }};
}

// A window whose panels' accesses to states are counted.
struct Counting : Long {
  ~Counting() { window.redraw(); }
  void show(EventId position) {
    Snapshot snapshot = states.at(position);
    snapshot.tensors = counted(snapshot.tensors, reads);
    snapshot.buffers = counted(snapshot.buffers, reads);
    snapshot.strategyCache.entries = counted(snapshot.strategyCache.entries, reads);
    snapshot.planCache.entries = counted(snapshot.planCache.entries, reads);
    for (Panel* panel : window.findChildren<Panel*>()) {
      panel->setSnapshot(journal, snapshot);
    }
  }
  void paint() {
    QCoreApplication::processEvents();
    window.grab();
  }

  const Journal& journal = window.document()->journal();
  StateIndex states{journal};
  std::size_t reads = 0;
};

TEST(LongRun, StepReadsVisibleRowsOnly) {
  Counting on;
  const Snapshot end = on.states.at(on.size());
  ASSERT_GT(on.size(), 290000U);
  ASSERT_GT(end.tensors.size(), 70000U);
  ASSERT_GT(end.buffers.size(), 2900U);
  ASSERT_EQ(end.strategyCache.entries.size(), LongRun::kEntries);
  std::size_t most = 0;
  for (const EventId position : on.places()) {
    on.reads = 0;
    on.show(position);
    on.paint();
    EXPECT_LT(on.reads, 500U) << position;
    most = std::max(most, on.reads);
  }
  EXPECT_GT(most, 0U);
  RecordProperty("most_asked", static_cast<int>(most));
}

TEST(LongRun, RestylingReadsVisibleRowsOnly) {
  Counting on;
  on.show(on.size());
  on.paint();
  const auto readsOf = [&on](auto act) {
    on.reads = 0;
    act();
    on.paint();
    return on.reads;
  };
  EXPECT_LT(readsOf([] { applyColourScheme(*qApp, ColourScheme::Dark); }), 500U);
  EXPECT_LT(readsOf([] { applyColourScheme(*qApp, ColourScheme::Light); }), 500U);
  EXPECT_LT(readsOf([&on] { on.window.resize(1680, 1050); }), 500U);
  EXPECT_LT(readsOf([&on] { on.window.resize(1000, 700); }), 500U);
}

// An event filter that counts the changes of a widget's style.
struct Polished : QObject {
  bool eventFilter(QObject* /*watched*/, QEvent* event) override {
    count += event->type() == QEvent::StyleChange ? 1 : 0;
    return false;
  }
  int count = 0;
};

TEST(LongRun, RestylingDoesNotPolishPanelsAgain) {
  Long on;
  Polished polished;
  on.find<Panel>("eventsPanel")->installEventFilter(&polished);
  on.window.setDark(true);
  on.window.setDark(false);
  on.find<QAction>("largerType")->trigger();
  on.find<QAction>("normalType")->trigger();
  EXPECT_EQ(polished.count, 0);
}

// Only the spans around the position stay unfolded. Else a view that was scrubbed through would lay
// out all rows.
TEST(LongRun, RowsUnfoldedByThePositionFoldAgain) {
  Long on;
  auto* tree = on.find<StepsView>("stepsView");
  const StepsModel& model = on.window.findChild<StepsPanel*>()->model();
  const auto around = [&](EventId event) {
    std::vector<QPersistentModelIndex> rows;
    for (QModelIndex row = model.indexOf(event).parent(); row.isValid(); row = row.parent()) {
      rows.emplace_back(row);
    }
    return rows;
  };
  const auto areUnfolded = [&](EventId event) {
    const auto rows = around(event);
    EXPECT_FALSE(rows.empty()) << event;
    return std::all_of(rows.begin(), rows.end(),
                       [&](const auto& row) { return tree->isExpanded(row); });
  };
  const EventId here = on.size() / 2;
  const EventId there = on.size() / 4;
  const EventId own = on.size() / 8 * 3;
  for (const QPersistentModelIndex& row : around(own)) {
    tree->expand(row);
  }
  on.go(here);
  EXPECT_TRUE(areUnfolded(here));
  on.go(there);
  EXPECT_FALSE(areUnfolded(here));
  EXPECT_TRUE(areUnfolded(there));
  on.go(own);
  on.go(here);
  EXPECT_FALSE(areUnfolded(there));
  EXPECT_TRUE(areUnfolded(own));  // unfolded by the user
  EXPECT_TRUE(areUnfolded(here));
}

TEST(LongRun, ChoiceListOpensAtTheChosenRow) {
  Long on;
  for (const char* name : {"tensorChoice", "bufferChoice"}) {
    auto* choice = on.find<QComboBox>(name);
    ASSERT_GT(choice->count(), 2900) << name;
    for (const int row : {0, choice->count() - 1}) {
      choice->setCurrentIndex(row);
      choice->showPopup();
      const auto* list = choice->view();
      EXPECT_EQ(list->currentIndex().row(), row) << name;
      EXPECT_TRUE(list->viewport()->rect().contains(list->visualRect(list->currentIndex())));
      QCoreApplication::processEvents();
      choice->hidePopup();
    }
  }
}

TEST(LongRun, DistantSearchRunsInSlices) {
  Long on;
  Cursor& cursor = on.window.cursor();
  const auto arrives = [&] { return QTest::qWaitFor([&] { return !cursor.waits(); }, 60000); };
  const int last = cursor.journal().at(on.size()).step;
  on.go(1);
  cursor.toEndOfStep(last - 1);
  EXPECT_TRUE(cursor.waits());
  ASSERT_TRUE(arrives());
  EXPECT_EQ(cursor.journal().at(cursor.position()).step, last - 1);
  EXPECT_EQ(cursor.journal().at(cursor.position() + 1).step, last);
  on.go(1);
  on.click("endButton");
  EXPECT_TRUE(on.shows(QStringLiteral("event %1 of %1").arg(on.size())));
}

TEST(LongRun, PanelsMatchThePosition) {
  Long on;
  const auto note = [&](const char* panel) { return on.find<Panel>(panel)->header()->note(); };
  const auto* caches = on.find<QuietTable>("cachesView")->model();
  EXPECT_EQ(note("buffersPanel"), QStringLiteral("1 in use · 2999 released"));
  EXPECT_EQ(caches->rowCount(), LongRun::kEntries);
  on.go(2);
  EXPECT_EQ(note("buffersPanel"), QString());
  EXPECT_EQ(caches->rowCount(), 0);
  on.go(3);
  EXPECT_EQ(caches->rowCount(), 1);
}

TEST(LongRun, StepsThroughAFilteredAndSortedTable) {
  Long on;
  auto* view = on.find<QuietTable>("cachesView");
  view->horizontalHeader()->setSortIndicator(view::CachesTable::Key, Qt::DescendingOrder);
  on.press(Qt::Key_F, Qt::ControlModifier);
  auto* words = on.find<QLineEdit>("cachesViewFilter");
  words->setText(QStringLiteral("f32[99"));  // 990 to 998, 9900 ...: of even numbers below 4000
  const auto first = [&] {
    return view->model()->index(0, view::CachesTable::Key).data().toString();
  };
  for (const EventId position : on.places()) {
    on.go(position);
  }
  on.go(on.size());
  EXPECT_TRUE(QTest::qWaitFor([&] { return view->model()->rowCount() == 5; }));
  EXPECT_EQ(first(), QStringLiteral("aten.op, f32[998, 8] S(0)"));
}

}  // namespace
}  // namespace shardlens
