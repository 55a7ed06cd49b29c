// Tests the filter line above a table, in a real window by keyboard.
#include "core/trace/file/trace_writer.h"
#include "core/trace/recorder/event_makers.h"
#include "core/view/tables/caches_table.h"
#include "tests/ui/support/lookup_run.h"
#include "tests/ui/support/window.h"
#include "ui/widgets/filter_line.h"
#include "ui/widgets/table_view.h"

#include <gtest/gtest.h>

#include <QClipboard>
#include <QDockWidget>
#include <QGuiApplication>
#include <QHeaderView>
#include <QLineEdit>

namespace shardlens {
namespace {

constexpr int kEntries = 40;

// Writes a recording of misses of the strategy cache, one per event, for weights [0, 5], [1, 5],
// ...
void writeEntries(const QString& path) {
  const auto writer = TraceWriter::create(path.toStdString()).value();
  Recorder recorder;
  recorder.addSink(*writer);
  recorder.note(Event{});
  for (int i = 0; i < kEntries; ++i) {
    const LookupRecord lookup{.fields = {{"weight", "[" + std::to_string(i) + ", 5]"}}};
    recorder.note(makeLookup(recorder, CacheTable::Strategy, {.kept = true}, lookup));
  }
  EXPECT_TRUE(writer->close());
}

// A table with its filter line, in a window at the end of the recording.
struct Filtered : Window {
  explicit Filtered(const char* table = "cachesView", void (*write)(const QString&) = writeEntries)
      : view(find<QuietTable>(table)),
        words(find<QLineEdit>((std::string(table) + "Filter").c_str())),
        count(find<QLabel>((std::string(table) + "FilterCount").c_str())) {
    window.resize(1680, 1050);
    write(path("run.shardlens"));
    EXPECT_TRUE(open(path("run.shardlens")));
    window.activateWindow();
    EXPECT_TRUE(QTest::qWaitForWindowActive(&window));
    go(static_cast<EventId>(window.cursor().size()));
    window.usePerspective(Perspective::Step);
    for (QWidget* each = view; each != nullptr; each = each->parentWidget()) {
      if (auto* dock = qobject_cast<QDockWidget*>(each)) dock->raise();
    }
  }
  void go(EventId position) {
    window.cursor().moveTo(position);
    EXPECT_TRUE(atEvent(position));
  }
  bool atEvent(EventId position) {
    const QString shown = QStringLiteral(" %1 of").arg(position);
    return QTest::qWaitFor([&] { return this->position().contains(shown); });
  }
  void type(const char* text) {
    view->setFocus();
    for (; *text != 0; ++text) {
      QTest::keyClick(QApplication::focusWidget(), *text);
    }
  }
  static void key(Qt::Key key) { QTest::keyClick(QApplication::focusWidget(), key); }
  int rows() const { return view->model()->rowCount(); }
  QString cell(int row, int column) const {
    return view->model()->index(row, column).data().toString();
  }
  QuietTable* view;
  QLineEdit* words;
  QLabel* count;
};

TEST(Filter, TypingFiltersAndEscapeRestoresAllRows) {
  Filtered on;
  EXPECT_FALSE(on.words->isVisible());
  on.type("[3");
  EXPECT_TRUE(on.words->hasFocus());
  EXPECT_EQ(on.words->text(), QStringLiteral("[3"));
  EXPECT_EQ(on.rows(), 11);  // 3 and 30 to 39
  EXPECT_EQ(on.count->text(), QStringLiteral("11 of 40"));
  Filtered::key(Qt::Key_Escape);
  EXPECT_EQ(on.rows(), kEntries);
  EXPECT_FALSE(on.words->isVisible());
  EXPECT_TRUE(on.view->hasFocus());
  on.type("[4,");
  EXPECT_EQ(on.words->text(), QStringLiteral("[4,"));
  Filtered::key(Qt::Key_Down);
  EXPECT_TRUE(on.view->hasFocus());
  Filtered::key(Qt::Key_Escape);  // pressed in the table
  EXPECT_EQ(on.rows(), kEntries);
  EXPECT_FALSE(on.words->isVisible());
}

TEST(Filter, StaysVisibleWhileItFilters) {
  Filtered on;
  on.type("[3");
  on.go(32);  // entries 0 to 30
  EXPECT_EQ(on.rows(), 2);
  EXPECT_EQ(on.count->text(), QStringLiteral("2 of 31"));
  EXPECT_TRUE(on.words->isVisible());
  on.go(2);
  EXPECT_EQ(on.count->text(), QStringLiteral("0 of 1"));
  EXPECT_TRUE(on.view->isVisible());
  EXPECT_TRUE(on.words->isVisible());
  on.go(1);  // the table is empty
  EXPECT_FALSE(on.view->isVisible());
  EXPECT_FALSE(on.words->isVisible());
  on.go(5);
  EXPECT_TRUE(on.words->isVisible());
  EXPECT_EQ(on.count->text(), QStringLiteral("1 of 4"));
}

TEST(Filter, EmptyResultIsExplained) {
  Filtered on;
  const auto picture = [&] { return on.view->viewport()->grab().toImage(); };
  on.type("s(0) [77");
  EXPECT_EQ(on.rows(), 0);
  EXPECT_EQ(on.count->text(), QStringLiteral("0 of 40"));
  EXPECT_EQ(on.view->emptyText(), QStringLiteral("No row contains “s(0)” and “[77”"));
  const QImage withText = picture();
  on.view->setEmptyText({});
  EXPECT_NE(withText, picture());
}

TEST(Filter, ClosesWhenEmpty) {
  Filtered on;
  on.view->setFocus();
  on.press(Qt::Key_F, Qt::ControlModifier);
  EXPECT_TRUE(on.words->hasFocus());
  Filtered::key(Qt::Key_Tab);
  EXPECT_FALSE(on.words->isVisible());
  on.type("  ");  // spaces filter nothing
  Filtered::key(Qt::Key_Tab);
  EXPECT_FALSE(on.words->isVisible());
  on.type("[3");
  Filtered::key(Qt::Key_Tab);
  EXPECT_TRUE(on.words->isVisible());
  EXPECT_EQ(on.rows(), 11);
}

TEST(Filter, CommandUsesAVisibleTable) {
  Filtered on;
  on.find<QWidget>("programView")->setFocus();
  on.press(Qt::Key_Slash);
  EXPECT_TRUE(on.words->hasFocus());
  QTest::keyClicks(on.words, QStringLiteral("[3/"));  // "/" is text in the line
  EXPECT_EQ(on.words->text(), QStringLiteral("[3/"));
  for (const char* dock :
       {"cachesPanelDock", "whyPanelDock", "problemsPanelDock", "eventsPanelDock"}) {
    on.find<QDockWidget>(dock)->close();
  }
  on.press(Qt::Key_F, Qt::ControlModifier);
  EXPECT_EQ(on.message(), QStringLiteral("No table is visible."));
  on.find<QDockWidget>("cachesPanelDock")->show();
  on.find<QDockWidget>("cachesPanelDock")->raise();
  on.press(Qt::Key_F, Qt::ControlModifier);
  EXPECT_TRUE(on.words->hasFocus());
  EXPECT_EQ(on.message(), QString());
}

TEST(Filter, FilteredRowsCanBeSortedCopiedAndActivated) {
  Filtered on;
  on.type("[3");
  on.view->horizontalHeader()->setSortIndicator(view::CachesTable::Key, Qt::DescendingOrder);
  EXPECT_EQ(on.cell(0, view::CachesTable::Key), QStringLiteral("[39, 5]"));
  Filtered::key(Qt::Key_Return);
  Filtered::key(Qt::Key_Down);
  QTest::keySequence(on.view, QKeySequence::Copy);
  EXPECT_EQ(QGuiApplication::clipboard()->text(),
            QStringLiteral("strategy\t[38, 5]\t0\t1\t0\t40\t40\tmiss"));
  Filtered::key(Qt::Key_Return);
  EXPECT_TRUE(on.atEvent(40));
  EXPECT_EQ(on.cell(on.view->currentIndex().row(), view::CachesTable::Key),
            QStringLiteral("[38, 5]"));
}

TEST(Filter, CurrentRowStaysWhileVisible) {
  Filtered on;
  on.view->setCurrentIndex(on.view->model()->index(31, 0));
  on.type("[3");
  EXPECT_EQ(on.view->currentIndex().row(), 2);  // after 3 and 30
  on.go(34);
  EXPECT_EQ(on.view->currentIndex().row(), 2);
  Filtered::key(Qt::Key_Escape);
  EXPECT_EQ(on.view->currentIndex().row(), 31);
  on.type("[20");
  EXPECT_FALSE(on.view->currentIndex().isValid());
}

TEST(Filter, KeepsTheTextWhileStepping) {
  Filtered on("candidatesView", writeLookup);
  on.go(13);
  on.type("row");
  on.press(Qt::Key_F10);
  EXPECT_TRUE(on.atEvent(14));
  EXPECT_TRUE(on.words->hasFocus());
  EXPECT_EQ(on.rows(), 1);
}

TEST(Filter, LeavesRoomForWhy) {
  Filtered on("candidatesView", writeLookup);
  on.window.resize(1024, 700);
  on.go(13);
  const int height = on.view->height();
  on.type("row");
  QCoreApplication::sendPostedEvents();
  EXPECT_EQ(on.rows(), 1);
  const auto* panel = on.find<QWidget>("whyPanel");
  EXPECT_LE(on.view->mapTo(panel, QPoint(0, on.view->height())).y(), panel->height());
  EXPECT_LE(on.view->height(), height);
  EXPECT_GT(on.view->height(), 28 + 25);  // keeps the height of hidden rows
}

}  // namespace
}  // namespace shardlens
