// Tests bookmarks that are set in the window, there and in the recording's file.
#include "core/trace/file/bookmark_file.h"
#include "core/trace/merge/trace_reader.h"
#include "tests/ui/support/lookup_run.h"
#include "tests/ui/support/window.h"
#include "ui/bridge/bookmark_keeper.h"
#include "ui/models/steps_model.h"
#include "ui/models/table_model.h"
#include "ui/panels/bookmarks_box.h"
#include "ui/panels/notes_panel.h"
#include "ui/panels/steps_panel.h"

#include <gmock/gmock.h>

#include <QAction>
#include <QLineEdit>

namespace shardlens {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

struct OnBookmarks : Window {
  OnBookmarks() {
    writeLookup(path("run.shardlens"));
    EXPECT_TRUE(open(path("run.shardlens")));
    goTo(5);
  }

  void goTo(EventId event) {
    window.cursor().moveTo(event);
    EXPECT_TRUE(shows(QStringLiteral("event %1 of 25").arg(event)));
  }
  QLineEdit* note() { return find<QLineEdit>("bookmarkNote"); }
  const TableModel& table() { return window.findChild<NotesPanel*>()->bookmarks().model(); }
  // Waits until the window has read these bookmarks back from the file.
  bool comes(const Bookmarks& expected) {
    return QTest::qWaitFor([&] { return window.cursor().journal().bookmarks() == expected; },
                           10000);
  }
  void mark(EventId event, const char* text) {
    goTo(event);
    press(Qt::Key_M, Qt::ControlModifier);
    QTest::keyClicks(note(), QLatin1String(text));
    QTest::keyClick(note(), Qt::Key_Return);
  }
  Bookmarks inFile() {
    return TraceReader::open(path("run.shardlens").toStdString()).value()->journal().bookmarks();
  }
  bool isMarked(EventId event) {
    const auto& steps = window.findChild<StepsPanel*>()->model();
    return steps.indexOf(event).data(StepsModel::BookmarkRole).toBool();
  }
};

TEST(Bookmarks, AreSavedInTheFileWithANote) {
  OnBookmarks on;
  on.press(Qt::Key_M, Qt::ControlModifier);
  ASSERT_TRUE(on.comes({{5, ""}}));
  EXPECT_TRUE(on.note()->hasFocus());
  QTest::keyClicks(on.note(), QStringLiteral("look here"));
  QTest::keyClick(on.note(), Qt::Key_Return);
  ASSERT_TRUE(on.comes({{5, "look here"}}));
  EXPECT_FALSE(on.note()->hasFocus());
  EXPECT_EQ(on.position(), QStringLiteral("event 5 of 25"));
  EXPECT_THAT(on.inFile(), ElementsAre(Pair(5U, "look here")));
  on.window.redraw();
  ASSERT_EQ(on.table().rowCount(), 1);
  EXPECT_EQ(on.table().rowAt(0).cells.back().text, "look here");
  EXPECT_TRUE(on.table().rowAt(0).marked);
  EXPECT_TRUE(on.isMarked(5));
  EXPECT_FALSE(on.isMarked(4));
}

TEST(Bookmarks, LeavingTheNoteSavesItAndEscapeReverts) {
  OnBookmarks on;
  on.mark(5, "first");
  ASSERT_TRUE(on.comes({{5, "first"}}));
  on.press(Qt::Key_M, Qt::ControlModifier);
  QTest::keyClicks(on.note(), QStringLiteral("second"));
  on.find<QWidget>("stepsView")->setFocus();
  ASSERT_TRUE(on.comes({{5, "second"}}));
  on.press(Qt::Key_M, Qt::ControlModifier);
  QTest::keyClicks(on.note(), QStringLiteral("third"));
  QTest::keyClick(on.note(), Qt::Key_Escape);
  EXPECT_EQ(on.note()->text(), QStringLiteral("second"));
  BookmarkKeeper::waitForAll();
  EXPECT_THAT(on.inFile(), ElementsAre(Pair(5U, "second")));
}

TEST(Bookmarks, NextAndPreviousVisitEach) {
  OnBookmarks on;
  on.mark(5, "a");
  on.mark(9, "b");
  on.mark(20, "c");
  ASSERT_TRUE(on.comes({{5, "a"}, {9, "b"}, {20, "c"}}));
  on.find<QWidget>("stepsView")->setFocus();
  on.goTo(9);
  on.press(Qt::Key_M);
  EXPECT_TRUE(on.shows(QStringLiteral("event 20 of 25")));
  EXPECT_FALSE(on.find<QAction>("nextBookmark")->isEnabled());
  on.press(Qt::Key_M, Qt::ShiftModifier);
  EXPECT_TRUE(on.shows(QStringLiteral("event 9 of 25")));
  on.press(Qt::Key_Left, Qt::AltModifier);
  EXPECT_TRUE(on.shows(QStringLiteral("event 20 of 25")));
  // A row of the table leads to its event.
  auto* rows = on.find<QAbstractItemView>("bookmarksView");
  rows->setCurrentIndex(rows->model()->index(0, 0));
  QTest::keyClick(rows, Qt::Key_Return);
  EXPECT_TRUE(on.shows(QStringLiteral("event 5 of 25")));
  EXPECT_FALSE(on.find<QAction>("previousBookmark")->isEnabled());
}

TEST(Bookmarks, RemovedBookmarkCanBeRestored) {
  OnBookmarks on;
  on.mark(5, "a");
  on.mark(9, "b");
  ASSERT_TRUE(on.comes({{5, "a"}, {9, "b"}}));
  EXPECT_FALSE(on.find<QAction>("restoreBookmark")->isEnabled());
  on.find<QWidget>("stepsView")->setFocus();
  on.press(Qt::Key_Backspace, Qt::ControlModifier);
  ASSERT_TRUE(on.comes({{5, "a"}}));
  EXPECT_EQ(on.message(), QStringLiteral("Removed the bookmark of event 9."));
  auto* rows = on.find<QAbstractItemView>("bookmarksView");
  ASSERT_TRUE(QTest::qWaitFor([&] { return rows->model()->rowCount() == 1; }));
  rows->setFocus();
  rows->setCurrentIndex(rows->model()->index(0, 0));
  QTest::keyClick(rows, Qt::Key_Delete);
  ASSERT_TRUE(on.comes({}));
  EXPECT_THAT(on.inFile(), IsEmpty());
  on.find<QAction>("restoreBookmark")->trigger();
  ASSERT_TRUE(on.comes({{5, "a"}}));
  on.find<QAction>("restoreBookmark")->trigger();
  ASSERT_TRUE(on.comes({{5, "a"}, {9, "b"}}));
  EXPECT_EQ(on.message(), QString());
  EXPECT_FALSE(on.find<QAction>("restoreBookmark")->isEnabled());
}

TEST(Bookmarks, AppearWhenAnotherProgramAddsThem) {
  OnBookmarks on;
  const BookmarkChange theirs{7, "theirs"};
  ASSERT_TRUE(keepBookmarks(on.path("run.shardlens").toStdString(), {&theirs, 1}));
  EXPECT_TRUE(on.comes({{7, "theirs"}}));
  on.mark(5, "mine");
  EXPECT_TRUE(on.comes({{5, "mine"}, {7, "theirs"}}));
}

TEST(Bookmarks, AppearWhenAnotherWindowAddsThem) {
  OnBookmarks on;
  MainWindow other(MainWindow::Memory::Forgets);
  other.show();
  ASSERT_TRUE(openIn(other, on.path("run.shardlens")));
  on.window.activateWindow();  // the active window receives keys
  ASSERT_TRUE(QTest::qWaitForWindowActive(&on.window));
  on.mark(5, "mine");
  const auto& table = other.findChild<NotesPanel*>()->bookmarks().model();
  EXPECT_TRUE(QTest::qWaitFor([&] { return table.rowCount() == 1; }, 10000));
  EXPECT_TRUE(QTest::qWaitFor([&] { return table.rowAt(0).cells.back().text == "mine"; }, 10000));
}

TEST(Bookmarks, WriteErrorsAreReported) {
  OnBookmarks on;
  const QString file = on.path("run.shardlens");
  ASSERT_TRUE(QFile::remove(file));
  on.press(Qt::Key_M, Qt::ControlModifier);
  const QString expected =
      QStringLiteral("cannot keep bookmarks in %1: %1 does not exist").arg(file);
  EXPECT_TRUE(QTest::qWaitFor([&] { return on.message() == expected; }, 10000))
      << on.message().toStdString();
  EXPECT_EQ(on.table().rowCount(), 0);
}

TEST(Bookmarks, AreDisabledAtTheStart) {
  OnBookmarks on;
  on.goTo(0);
  EXPECT_FALSE(on.find<QAction>("bookmark")->isEnabled());
  EXPECT_FALSE(on.note()->isEnabled());
  on.goTo(1);
  EXPECT_TRUE(on.find<QAction>("bookmark")->isEnabled());
  EXPECT_FALSE(on.find<QAction>("removeBookmark")->isEnabled());
}

}  // namespace
}  // namespace shardlens
