// Tests the command palette, and going back after a jump.
#include "tests/ui/support/lookup_run.h"
#include "tests/ui/support/window.h"
#include "ui/bridge/position_history.h"
#include "ui/models/fuzzy_match.h"
#include "ui/models/run_places.h"
#include "ui/pages/command_palette.h"
#include "ui/panels/panel.h"
#include "ui/panels/steps_panel.h"

#include <gmock/gmock.h>

#include <QLineEdit>
#include <QListWidget>

namespace shardlens {
namespace {

int scoreOf(const char* typed, const char* text) {
  return fuzzyScore(QLatin1String(typed), QLatin1String(text)).value_or(-1);
}

TEST(FuzzyMatch, MatchesLettersInOrderIgnoringCase) {
  EXPECT_GT(scoreOf("sov", "Go: Step over"), 0);
  EXPECT_GT(scoreOf("STEP O", "Go: Step over"), 0);
  EXPECT_EQ(scoreOf("vos", "Go: Step over"), -1);
  EXPECT_EQ(scoreOf("steppp", "Go: Step over"), -1);
  EXPECT_EQ(scoreOf("s", ""), -1);
  EXPECT_EQ(scoreOf("", ""), 0);
  EXPECT_EQ(scoreOf("  ", "Go: Step over"), 0);
}

TEST(FuzzyMatch, RanksInitialsAndRunsHigher) {
  EXPECT_GT(scoreOf("so", "Go: Step over"), scoreOf("so", "Go: Also"));
  EXPECT_GT(scoreOf("over", "Go: Step over"), scoreOf("over", "File: Open recent vector"));
  EXPECT_GT(scoreOf("end", "Go: Go to end"), scoreOf("end", "Help: Show legend"));
}

TEST(PositionHistory, JumpDropsForwardPositions) {
  PositionHistory history;
  EXPECT_EQ(history.back(7), std::nullopt);
  history.jump(3);
  history.jump(3);  // from the same place again
  history.jump(9);
  EXPECT_EQ(history.back(20), 9U);
  EXPECT_EQ(history.back(9), 3U);
  EXPECT_EQ(history.back(3), std::nullopt);
  EXPECT_EQ(history.forward(3), 9U);
  EXPECT_EQ(history.forward(9), 20U);
  EXPECT_FALSE(history.hasForward());
  EXPECT_EQ(history.back(20), 9U);
  history.jump(9);
  EXPECT_FALSE(history.hasForward());
}

TEST(PositionHistory, HasALimit) {
  PositionHistory history;
  for (EventId id = 1; id <= PositionHistory::kMost + 1; ++id) {
    history.jump(id);
  }
  std::size_t steps = 0;
  EventId oldest = 0;
  while (const auto position = history.back(0)) {
    oldest = *position;
    ++steps;
  }
  EXPECT_EQ(steps, PositionHistory::kMost);
  EXPECT_EQ(oldest, 2U);
}

class PaletteTest : public testing::Test {
 protected:
  void SetUp() override {
    writeLookup(on.path("lookup.shardlens"));
    ASSERT_TRUE(on.open(on.path("lookup.shardlens")));
    palette = on.find<CommandPalette>("commandPalette");
    typed = on.find<QLineEdit>("commandLetters");
    found = on.find<QListWidget>("commandsFound");
  }
  void openPalette() { on.press(Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier); }
  void choose(const char* letters) {
    openPalette();
    QTest::keyClicks(typed, QLatin1String(letters));
    QTest::keyClick(typed, Qt::Key_Return);
  }

  Window on;
  CommandPalette* palette = nullptr;
  QLineEdit* typed = nullptr;
  QListWidget* found = nullptr;
};

TEST_F(PaletteTest, ReturnRunsTheFoundCommand) {
  const EventId end = on.window.cursor().position();
  choose("previous event");
  EXPECT_FALSE(palette->isVisible());
  EXPECT_EQ(on.window.cursor().position(), end - 1);
}

TEST_F(PaletteTest, ArrowsMoveInTheListAndEscapeCloses) {
  openPalette();
  EXPECT_TRUE(palette->isVisible());
  const int first = found->currentRow();
  QTest::keyClick(typed, Qt::Key_Down);
  EXPECT_GT(found->currentRow(), first);
  QTest::keyClick(typed, Qt::Key_Up);
  EXPECT_EQ(found->currentRow(), first);
  const EventId before = on.window.cursor().position();
  QTest::keyClick(palette, Qt::Key_Escape);
  EXPECT_FALSE(palette->isVisible());
  EXPECT_EQ(on.window.cursor().position(), before);
}

TEST_F(PaletteTest, DisabledCommandsAreListedButNotRun) {
  openPalette();
  QTest::keyClicks(typed, QStringLiteral("stop engine"));
  ASSERT_EQ(found->count(), 1);
  EXPECT_FALSE(found->item(0)->flags().testFlag(Qt::ItemIsEnabled));
  EXPECT_EQ(found->currentItem(), nullptr);
  QTest::keyClick(typed, Qt::Key_Return);
  EXPECT_TRUE(palette->isVisible());
}

TEST_F(PaletteTest, LastCommandIsFirst) {
  choose("legend");
  choose("go to start");
  openPalette();
  EXPECT_TRUE(found->item(0)->text().startsWith(QStringLiteral("Go: Go to start")));
  EXPECT_TRUE(found->item(1)->text().startsWith(QStringLiteral("Help: Show legend")));
  EXPECT_THAT(palette->recent(),
              testing::ElementsAre(QStringLiteral("start"), QStringLiteral("legend")));
}

TEST_F(PaletteTest, FindsPanelsTensorsLinesAndEventNumbers) {
  choose("12");
  EXPECT_EQ(on.window.cursor().position(), 12U);
  choose("panel: caches");
  EXPECT_FALSE(on.find<QWidget>("cachesPanel")->visibleRegion().isEmpty());
  choose("tensor: z");
  const EventId made = on.window.cursor().position();
  EXPECT_EQ(on.window.cursor().journal().at(made).kind, EventKind::Result);
  QTest::mouseClick(on.find<QLabel>("position"), Qt::LeftButton);
  EXPECT_TRUE(palette->isVisible());
  QTest::keyClicks(typed, QStringLiteral("3"));
  QTest::keyClick(typed, Qt::Key_Return);
  EXPECT_EQ(on.window.cursor().position(), 3U);
}

TEST_F(PaletteTest, FindsByTheWordBeforeANumber) {
  const auto titles = [&](const char* letters) {
    openPalette();
    QTest::keyClicks(typed, QLatin1String(letters));
    QStringList all;
    for (int row = 0; row < found->count(); ++row) all << found->item(row)->text();
    QTest::keyClick(palette, Qt::Key_Escape);
    return all;
  };
  EXPECT_EQ(titles("rank 3").value(0), QStringLiteral("Rank: 3"));
  EXPECT_TRUE(titles("step 2").value(0).startsWith(QStringLiteral("Step: 2  ")));
  EXPECT_TRUE(titles("event 7").value(0).startsWith(QStringLiteral("Event: 7 of ")));
  EXPECT_FALSE(titles("rank 99").contains(QStringLiteral("Rank: 99")));
  const QStringList none = titles("qqqqqq");
  ASSERT_EQ(none.size(), 1);
  EXPECT_TRUE(none[0].startsWith(QStringLiteral("No matches.")));
  for (const QString& title : titles("tensor: ")) {
    if (title.startsWith(QStringLiteral("Tensor: "))) {
      EXPECT_TRUE(title.contains(QStringLiteral(" · event "))) << qPrintable(title);
    }
  }
}

// Calls of the same line are one place, with the text of the line.
TEST_F(PaletteTest, ListsALineOnceWithItsText) {
  Journal journal;
  journal.onMeta("source:/home/train.py", "import torch\n  y = x @ w\n");
  SiteRecord site{.file = "/home/train.py", .line = 2, .caller = "up"};
  for (StringId id = 1; id <= 2; ++id) {
    journal.onString(id, siteText(site));
    site.caller = "down";
  }
  for (EventId id = 1; id <= 4; ++id) {
    Event event;
    event.kind = EventKind::Operator;
    event.site = (id % 2) + 1;
    journal.onEvent(id, event, {});
  }
  RunPlaces places;
  std::vector<std::string> titles;
  for (const RunPlace& place : places.find(journal, QStringLiteral("train"))) {
    titles.push_back(place.title.toStdString());
  }
  EXPECT_THAT(titles, testing::ElementsAre("Line: train.py:2  y = x @ w"));
}

TEST_F(PaletteTest, AQueryFiltersTheEvents) {
  choose("kind:result");
  EXPECT_FALSE(on.find<StepsPanel>("eventsPanel")->filter().empty());
  EXPECT_EQ(on.find<QLineEdit>("stepsFilter")->text(), QStringLiteral("kind:result"));
}

TEST_F(PaletteTest, AltLeftGoesBackAndAltRightForward) {
  Cursor& cursor = on.window.cursor();
  const EventId end = cursor.position();
  on.press(Qt::Key_Left, Qt::AltModifier);  // no earlier position
  EXPECT_EQ(cursor.position(), end);
  Q_EMIT on.find<Panel>("eventsPanel")->positionRequested(3);
  cursor.step();  // not a jump
  ASSERT_EQ(cursor.position(), 4U);
  Q_EMIT on.find<Panel>("eventsPanel")->positionRequested(8);
  ASSERT_TRUE(QTest::qWaitFor([&] { return on.position().startsWith(QStringLiteral("event 8")); }));
  on.press(Qt::Key_Left, Qt::AltModifier);
  EXPECT_EQ(cursor.position(), 4U);
  on.press(Qt::Key_Left, Qt::AltModifier);
  EXPECT_EQ(cursor.position(), end);
  ASSERT_TRUE(QTest::qWaitFor(
      [&] { return on.window.findChild<QAction*>("forwardInHistory")->isEnabled(); }));
  on.press(Qt::Key_Right, Qt::AltModifier);
  EXPECT_EQ(cursor.position(), 4U);
}

}  // namespace
}  // namespace shardlens
