// Tests moving through a recording: by buttons, by keys, and by clicks on events.
#include "tests/ui/support/on_recording.h"
#include "ui/panels/steps_panel.h"

#include <gtest/gtest.h>

namespace shardlens {
namespace {

EventId endOfStep(const Journal& journal, int step) {
  EventId last = 0;
  for (EventId id = 1; id <= journal.size(); ++id) {
    if (journal.at(id).step == step) {
      last = id;
    }
  }
  return last;
}

// Steps 0 and 2 have notes.
TEST(Window, NextAndPreviousNoteRaiseTheNotes) {
  OnRecording on;
  ASSERT_TRUE(on.opened);
  Cursor& cursor = on.window.cursor();
  const EventId first = endOfStep(cursor.journal(), 0);
  const EventId second = endOfStep(cursor.journal(), 2);
  on.press(Qt::Key_N);
  EXPECT_EQ(cursor.position(), first);
  EXPECT_TRUE(QTest::qWaitFor([&] { return on.find<QLabel>("notesText")->isVisible(); }));
  EXPECT_TRUE(on.shows(QStringLiteral("event %1 of 25").arg(first)));
  EXPECT_TRUE(on.find<QLabel>("notesText")->text().startsWith(QStringLiteral("The table")));
  on.press(Qt::Key_N);
  EXPECT_EQ(cursor.position(), second);
  on.press(Qt::Key_N);
  EXPECT_EQ(cursor.position(), second);
  EXPECT_EQ(on.message(), QStringLiteral("No more notes in this direction"));
  EXPECT_TRUE(on.shows(QStringLiteral("event %1 of 25").arg(second)));
  on.press(Qt::Key_N, Qt::ShiftModifier);
  EXPECT_EQ(cursor.position(), first);
  EXPECT_EQ(on.message(), QString());
}

TEST(Window, MovesByButton) {
  OnRecording on;
  on.click("stepButton");
  on.click("stepButton");
  EXPECT_TRUE(on.shows(QStringLiteral("event 2 of 25")));
  on.click("backButton");
  EXPECT_TRUE(on.shows(QStringLiteral("event 1 of 25")));
  on.click("overButton");
  EXPECT_TRUE(on.shows(QStringLiteral("event 3 of 25")));
  on.click("endButton");
  EXPECT_TRUE(on.shows(QStringLiteral("event 25 of 25")));
  EXPECT_FALSE(on.find<QPushButton>("stepButton")->isEnabled());
  on.click("startButton");
  EXPECT_TRUE(on.shows(QStringLiteral("event 0 of 25")));
  EXPECT_FALSE(on.find<QPushButton>("backButton")->isEnabled());
}

TEST(Window, MovesByKey) {
  OnRecording on;
  on.press(Qt::Key_Right);
  on.press(Qt::Key_F11);
  EXPECT_TRUE(on.shows(QStringLiteral("event 2 of 25")));
  on.press(Qt::Key_Left);
  EXPECT_TRUE(on.shows(QStringLiteral("event 1 of 25")));
  on.press(Qt::Key_End);
  EXPECT_TRUE(on.shows(QStringLiteral("event 25 of 25")));
  on.press(Qt::Key_Left);
  EXPECT_TRUE(on.shows(QStringLiteral("event 24 of 25")));
  on.press(Qt::Key_Home);
  EXPECT_TRUE(on.shows(QStringLiteral("event 0 of 25")));
}

// As in debuggers: F10 steps over, F11 into; with Shift they step back over and out.
TEST(Window, HasTheKeysOfDebuggers) {
  OnRecording on;
  on.press(Qt::Key_F10);
  EXPECT_TRUE(on.shows(QStringLiteral("event 1 of 25")));
  on.press(Qt::Key_F10);
  EXPECT_TRUE(on.shows(QStringLiteral("event 3 of 25")));
  on.press(Qt::Key_F11);
  EXPECT_TRUE(on.shows(QStringLiteral("event 4 of 25")));
  on.press(Qt::Key_F11, Qt::ShiftModifier);
  EXPECT_TRUE(on.shows(QStringLiteral("event 5 of 25")));
  on.press(Qt::Key_F10, Qt::ShiftModifier);
  EXPECT_TRUE(on.shows(QStringLiteral("event 3 of 25")));
}

TEST(Window, ClickOnAnEventJumpsToIt) {
  OnRecording on;
  auto* view = on.find<QAbstractItemView>("stepsView");
  auto* steps = on.find<StepsPanel>("eventsPanel");
  const QRect row = view->visualRect(steps->model().indexOf(7));
  QTest::mouseClick(view->viewport(), Qt::LeftButton, {}, row.center());
  EXPECT_TRUE(on.shows(QStringLiteral("event 7 of 25")));
}

TEST(Window, ClickOnALineGoesToItsEnd) {
  OnRecording on;
  auto* view = on.find<QAbstractItemView>("programView");
  const QRect row = view->visualRect(view->model()->index(1, 0));
  QTest::mouseClick(view->viewport(), Qt::LeftButton, {}, row.center());
  EXPECT_TRUE(on.shows(QStringLiteral("event 4 of 25")));
}

}  // namespace
}  // namespace shardlens
