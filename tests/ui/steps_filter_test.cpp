// Tests the filter line of Steps: queries, completions and the matching events.
#include "app/bench/window/event_loop_watch.h"
#include "tests/ui/support/long_run.h"
#include "tests/ui/support/lookup_run.h"
#include "tests/ui/support/window.h"
#include "ui/models/matches_model.h"
#include "ui/panels/steps_panel.h"
#include "ui/widgets/steps_view.h"
#include "ui/widgets/timeline_canvas.h"

#include <gmock/gmock.h>

#include <QAction>
#include <QLineEdit>

namespace shardlens {
namespace {

struct OnSteps : Window {
  explicit OnSteps(void (*write)(const QString&) = writeLookup)
      : panel(find<StepsPanel>("eventsPanel")),
        tree(find<StepsView>("stepsView")),
        list(find<StepsView>("matchesView")),
        line(find<QLineEdit>("stepsFilter")),
        count(find<QLabel>("stepsFilterCount")) {
    write(path("run.shardlens"));
    EXPECT_TRUE(open(path("run.shardlens")));
    window.activateWindow();
    EXPECT_TRUE(QTest::qWaitForWindowActive(&window));
  }
  const Journal& journal() { return window.cursor().journal(); }
  bool at(EventId position) {
    const QString shown = QStringLiteral("event %1 of ").arg(position);
    return QTest::qWaitFor([&] { return this->position().startsWith(shown); });
  }
  void filter(const char* query) {
    tree->isVisible() ? tree->setFocus() : list->setFocus();
    press(Qt::Key_F, Qt::ControlModifier);
    EXPECT_TRUE(line->hasFocus());
    line->setText(QLatin1String(query));
    EXPECT_TRUE(searchedTo());
  }
  bool searchedTo() {
    return QTest::qWaitFor([&] { return !count->text().endsWith(u'…'); }, 60000);
  }
  std::vector<EventId> matches() {
    std::vector<EventId> events;
    for (int row = 0; row < list->model()->rowCount(); ++row) {
      const QModelIndex index = list->model()->index(row, 0);
      if (index.data(StepsModel::StrongRole).toBool()) {
        events.push_back(index.data(StepsModel::EventRole).toUInt());
      }
    }
    return events;
  }
  std::vector<EventId> expected(const char* query) {
    const EventFilter filter(journal(), parseQuery(query).value());
    std::vector<EventId> events;
    for (EventId id = 0; (id = filter.next(id)) != 0;) {
      events.push_back(id);
    }
    return events;
  }
  StepsPanel* panel;
  StepsView* tree;
  StepsView* list;
  QLineEdit* line;
  QLabel* count;
};

TEST(StepsFilter, ShowsMatchesBelowTheirSpans) {
  OnSteps on;
  EXPECT_FALSE(on.line->isVisible());
  on.filter("kind:collective");
  EXPECT_TRUE(on.list->isVisible());
  EXPECT_FALSE(on.tree->isVisible());
  const auto expected = on.expected("kind:collective");
  EXPECT_EQ(on.matches(), expected);
  EXPECT_EQ(on.count->text(),
            QStringLiteral("%1 of %2").arg(expected.size()).arg(on.journal().size()));
  EventId before = 0;
  for (int row = 0; row < on.list->model()->rowCount(); ++row) {
    const QModelIndex index = on.list->model()->index(row, 0);
    const EventId event = index.data(StepsModel::EventRole).toUInt();
    EXPECT_GT(event, before);
    before = event;
    int depth = 0;
    for (EventId id = on.journal().at(event).parent; id != 0; id = on.journal().at(id).parent) {
      ++depth;
    }
    EXPECT_EQ(index.data(StepsModel::DepthRole).toInt(), depth);
  }
  QTest::keyClick(on.line, Qt::Key_Escape);
  EXPECT_TRUE(on.tree->isVisible());
  EXPECT_TRUE(on.tree->hasFocus());
  EXPECT_FALSE(on.line->isVisible());
}

TEST(StepsFilter, EmptyResultIsExplained) {
  OnSteps on;
  on.filter("bytes>1GB");
  EXPECT_TRUE(on.matches().empty());
  EXPECT_EQ(on.list->emptyText(), QStringLiteral("No event matches the filter."));
  EXPECT_EQ(on.count->text(), QStringLiteral("0 of %1").arg(on.journal().size()));
}

// The tooltip counts the matches by kind, and the timeline marks their times.
TEST(StepsFilter, CountsByKindAndMarksTheTimeline) {
  OnSteps on;
  on.filter("embedding");
  const QString kinds = on.count->toolTip();
  EXPECT_TRUE(kinds.contains(QStringLiteral("1 Operator"))) << kinds.toStdString();
  EXPECT_EQ(on.panel->header()->note(), kinds);
  const auto* timeline = on.find<TimelineCanvas>("timelineCanvas");
  EXPECT_TRUE(QTest::qWaitFor([&] { return !timeline->matchPlaces().empty(); }));
  on.filter("");
  EXPECT_TRUE(timeline->matchPlaces().empty());
  EXPECT_TRUE(on.panel->header()->note().endsWith(QStringLiteral(" sent")));
}

// The collectives inside a redistribution are not in the list, so it has their bytes.
TEST(StepsFilter, AMatchingRedistributionHasItsBytes) {
  OnSteps on;
  on.filter("kind:redistribute bytes>0");
  const auto matches = on.matches();
  ASSERT_FALSE(matches.empty());
  for (int row = 0; row < on.list->model()->rowCount(); ++row) {
    const QModelIndex note = on.list->model()->index(row, StepsModel::Note);
    if (!note.data(StepsModel::StrongRole).toBool()) continue;
    EXPECT_TRUE(note.data().toString().endsWith(QStringLiteral(" B")))
        << note.data().toString().toStdString();
  }
}

TEST(StepsFilter, NoMatchNamesWhatEachTermMatches) {
  OnSteps on;
  on.filter("embedding kind:error");
  const QString text = on.list->emptyText();
  EXPECT_TRUE(text.contains(QStringLiteral("kind:error matches 0"))) << text.toStdString();
  EXPECT_TRUE(text.contains(QStringLiteral("embedding matches"))) << text.toStdString();
}

TEST(StepsFilter, MistakeShowsAMessageAndKeepsTheFilter) {
  OnSteps on;
  on.filter("kind:collective");
  const auto before = on.matches();
  on.line->setText(QStringLiteral("kind:collective colour:red"));
  auto* mistake = on.find<QLabel>("stepsFilterMistake");
  EXPECT_TRUE(mistake->isVisible());
  EXPECT_TRUE(mistake->text().startsWith(QStringLiteral("at 17: got the field colour, expected")))
      << qPrintable(mistake->text());
  EXPECT_EQ(on.matches(), before);
  on.line->setText(QStringLiteral("kind:mask"));
  EXPECT_FALSE(mistake->isVisible());
  EXPECT_TRUE(on.searchedTo());
  EXPECT_EQ(on.matches(), on.expected("kind:mask"));
}

// The part of a query that is a mistake is underlined in red.
TEST(StepsFilter, UnderlinesTheMistake) {
  OnSteps on;
  on.filter("kind:mask");
  on.line->setText(QStringLiteral("word kind:musk"));
  on.list->setFocus();
  const QImage wrong = on.line->grab().toImage();
  int red = 0;
  for (int x = 0; x < wrong.width(); ++x) {
    for (int y = wrong.height() / 2; y < wrong.height(); ++y) {
      red += wrong.pixelColor(x, y) == theme().bad ? 1 : 0;
    }
  }
  EXPECT_GT(red, 5);
}

TEST(StepsFilter, OffersFieldsAndTheirValuesByKeyboard) {
  OnSteps on;
  on.tree->setFocus();
  on.press(Qt::Key_Slash);
  ASSERT_TRUE(on.line->hasFocus());
  QTest::keyClicks(on.line, QStringLiteral("-kin"));
  auto* offers = QApplication::activePopupWidget();
  ASSERT_NE(offers, nullptr);
  QTest::keyClick(offers, Qt::Key_Down);
  QTest::keyClick(offers, Qt::Key_Return);
  EXPECT_EQ(on.line->text(), QStringLiteral("-kind:"));
  EXPECT_TRUE(QTest::qWaitFor([] { return QApplication::activePopupWidget() != nullptr; }));
  EXPECT_FALSE(on.find<QLabel>("stepsFilterMistake")->isVisible());  // the query is incomplete
  QTest::keyClicks(on.line, QStringLiteral("col"));
  EXPECT_EQ(on.line->text(), QStringLiteral("-kind:col"));
  ASSERT_NE(QApplication::activePopupWidget(), nullptr);
  QTest::keyClick(QApplication::activePopupWidget(), Qt::Key_Down);
  QTest::keyClick(QApplication::activePopupWidget(), Qt::Key_Return);
  EXPECT_EQ(on.line->text(), QStringLiteral("-kind:collective"));
  EXPECT_TRUE(on.searchedTo());
  EXPECT_EQ(on.matches(), on.expected("-kind:collective"));
}

TEST(StepsFilter, KeysGoToTheNextMatchAndBack) {
  OnSteps on;
  on.window.cursor().toStart();
  ASSERT_TRUE(on.at(0));
  EXPECT_FALSE(on.find<QAction>("nextMatch")->isEnabled());
  on.filter("cache:miss");
  const auto expected = on.expected("cache:miss");
  ASSERT_GT(expected.size(), 1U);
  for (const EventId event : expected) {
    on.press(Qt::Key_F3);
    ASSERT_TRUE(on.at(event));
  }
  on.press(Qt::Key_F3);
  EXPECT_TRUE(QTest::qWaitFor([&] { return !on.message().isEmpty(); }));
  EXPECT_EQ(on.message(), QStringLiteral("No more matches"));
  EXPECT_TRUE(on.at(expected.back()));
  on.press(Qt::Key_F3, Qt::ShiftModifier);
  EXPECT_TRUE(on.at(expected[expected.size() - 2]));
  EXPECT_EQ(on.message(), QString());
}

TEST(StepsFilter, RowsGroupSimilarEvents) {
  OnSteps on;
  const EventId collective = LookupRun::find(on.journal(), EventKind::Collective);
  on.window.cursor().moveTo(collective);
  ASSERT_TRUE(on.at(collective));
  on.tree->setFocus();
  const auto action = [&](StepsView* view, const char* name) {
    return view->findChild<QAction*>(QLatin1String(name));
  };
  action(on.tree, "filterByThis")->trigger();
  EXPECT_EQ(on.line->text(), QStringLiteral("kind:collective name:all_reduce"));
  EXPECT_TRUE(on.searchedTo());
  EXPECT_EQ(on.matches(), on.expected("kind:collective name:all_reduce"));
  action(on.list, "breakOnThis")->trigger();
  EXPECT_EQ(on.window.breakpoints().stateOf(QStringLiteral("kind:collective name:all_reduce")),
            true);
  on.list->setFocus();
  on.press(Qt::Key_F9);  // removes it
  EXPECT_EQ(on.window.breakpoints().rowCount(), 0);
}

TEST(StepsFilter, ActivatingARowKeepsTheFilter) {
  OnSteps on;
  on.filter("kind:mask");
  const auto expected = on.expected("kind:mask");
  on.window.cursor().moveTo(expected.front());
  ASSERT_TRUE(on.at(expected.front()));
  EXPECT_EQ(on.list->currentIndex().data(StepsModel::EventRole).toUInt(), expected.front());
  QTest::keyClick(on.line, Qt::Key_Down);
  EXPECT_TRUE(on.list->hasFocus());
  QTest::keyClick(on.list, Qt::Key_Down);
  const EventId next = on.list->currentIndex().data(StepsModel::EventRole).toUInt();
  EXPECT_GT(next, expected.front());
  QTest::keyClick(on.list, Qt::Key_Return);
  EXPECT_TRUE(on.at(next));
  EXPECT_EQ(on.matches(), expected);
}

// Filter and continue search in slices. The list of matches is limited, the count is not.
TEST(StepsFilter, LongRunIsSearchedInSlices) {
  OnSteps on(LongRun::write);
  ASSERT_TRUE(on.at(on.journal().size()));
  EventLoopWatch watch;
  on.tree->setFocus();
  on.press(Qt::Key_F, Qt::ControlModifier);
  on.line->setText(QStringLiteral("kind:compute"));
  EXPECT_TRUE(on.count->text().endsWith(u'…'));
  ASSERT_TRUE(on.searchedTo());
  EXPECT_EQ(on.count->text(), QStringLiteral("72000 of %1").arg(on.journal().size()));
  EXPECT_GE(on.list->model()->rowCount(), static_cast<int>(MatchesModel::kMost));
  EXPECT_LE(on.list->model()->rowCount(), static_cast<int>(MatchesModel::kMost) + 12);
  EXPECT_FALSE(on.count->toolTip().isEmpty());
  Cursor& cursor = on.window.cursor();
  cursor.moveTo(1);
  on.line->setText(QStringLiteral("kind:step step:600"));
  on.press(Qt::Key_F3);
  EXPECT_TRUE(cursor.waits());
  ASSERT_TRUE(QTest::qWaitFor([&] { return !cursor.waits(); }, 60000));
  EXPECT_EQ(cursor.journal().at(cursor.position()).step, 599);
  EXPECT_EQ(cursor.journal().at(cursor.position()).kind, EventKind::Step);
  testing::Test::RecordProperty("longest_block_ms", std::to_string(watch.longest()));
  testing::Test::RecordProperty("late_blocks", watch.late());
}

TEST(StepsFilter, EscapeCancelsALongSearch) {
  OnSteps on(LongRun::write);
  Cursor& cursor = on.window.cursor();
  cursor.moveTo(cursor.size());
  ASSERT_TRUE(on.at(cursor.size()));
  on.window.breakpoints().add({}, QStringLiteral("id:1"));
  on.press(Qt::Key_F5, Qt::ControlModifier);
  EXPECT_TRUE(cursor.waits());
  QTest::keyClick(on.tree, Qt::Key_Escape);
  EXPECT_FALSE(cursor.waits());
  QCoreApplication::processEvents();
  EXPECT_EQ(cursor.position(), cursor.size());
}

TEST(Matches, AreFoundInNewEvents) {
  Journal journal;
  StepsModel steps;
  MatchesModel matches(steps);
  const auto show = [&] {
    steps.setSnapshot(journal, {});
    matches.setJournal(journal);
    EXPECT_TRUE(QTest::qWaitFor([&] { return !matches.isSearching(); }));
  };
  show();
  matches.setQuery(parseQuery("line:7").value());
  Event event;
  journal.onEvent(1, event);
  event.parent = 1;
  event.line = 7;
  journal.onEvent(2, event);
  show();
  EXPECT_EQ(matches.matches(), 1U);
  EXPECT_EQ(matches.rowCount(), 2);  // the match and its parent
  journal.onEvent(3, event);
  show();
  EXPECT_EQ(matches.matches(), 2U);
  EXPECT_EQ(matches.rowCount(), 3);
  EXPECT_EQ(matches.indexAt(2).row(), 1);
  EXPECT_FALSE(matches.indexAt(0).isValid());
  matches.setQuery({});
  EXPECT_EQ(matches.rowCount(), 0);
}

}  // namespace
}  // namespace shardlens
