// Tests breakpoints, continuing to them and playing, in a real window by keyboard.
#include "core/query/language/similar_events.h"
#include "tests/ui/support/lookup_run.h"
#include "tests/ui/support/window.h"
#include "ui/models/breakpoints_model.h"
#include "ui/models/steps_model.h"
#include "ui/panels/program_panel.h"

#include <gmock/gmock.h>

#include <QAction>
#include <QLineEdit>
#include <QListView>
#include <QMenu>
#include <QTableView>
#include <QTreeView>

namespace shardlens {
namespace {

// A window at the start of the lookup's recording.
struct OnBreakpoints : Window {
  OnBreakpoints() {
    recordLookup(journal);
    writeLookup(path("run.shardlens"));
    EXPECT_TRUE(open(path("run.shardlens")));
    window.activateWindow();
    EXPECT_TRUE(QTest::qWaitForWindowActive(&window));
    window.cursor().toStart();
    EXPECT_TRUE(at(0));
  }
  BreakpointsModel& breakpoints() { return window.breakpoints(); }
  bool at(EventId position) {
    const QString shown = QStringLiteral("event %1 of ").arg(position);
    return QTest::qWaitFor([&] { return this->position().startsWith(shown); });
  }
  EventId end() const { return journal.size(); }
  Journal journal;
};

EventId first(const Journal& journal, const char* query, EventId after = 0) {
  return EventFilter(journal, parseQuery(query).value()).next(after);
}

TEST(Breakpoints, RejectsAnInvalidQuery) {
  BreakpointsModel all;
  for (const char* query : {"", "  ", "colour:red", "bytes>", "kind:", "\"open"}) {
    EXPECT_FALSE(all.add({}, QLatin1String(query))) << query;
  }
  EXPECT_TRUE(all.add({}, QStringLiteral(" kind:mask ")));
  EXPECT_FALSE(all.add(QStringLiteral("again"), QStringLiteral("kind:mask")));
  EXPECT_EQ(all.rowCount(), 1);
  const auto query = all.index(0, BreakpointsModel::QueryText);
  EXPECT_FALSE(all.setData(query, QStringLiteral("kind:colour"), Qt::EditRole));
  EXPECT_EQ(query.data().toString(), QStringLiteral("kind:mask"));
  EXPECT_TRUE(all.setData(query, QStringLiteral("refcount:0"), Qt::EditRole));
  EXPECT_EQ(all.index(0, 0).data().toString(), QStringLiteral("refcount:0"));
}

TEST(Breakpoints, LoadSkipsInvalidQueries) {
  BreakpointsModel all;
  all.add(QStringLiteral("a line"), QStringLiteral("line:3"));
  all.add({}, QStringLiteral("nan"));
  all.setData(all.index(1, 0), Qt::Unchecked, Qt::CheckStateRole);
  QVariantList saved = all.saved();
  saved.insert(1, QVariant(QVariantList{QStringLiteral("x"), QStringLiteral("colour:"), true}));
  saved << QVariant(7);
  BreakpointsModel other;
  other.load(saved);
  EXPECT_EQ(other.saved(), all.saved());
  EXPECT_EQ(other.stateOf(QStringLiteral("line:3")), true);
  EXPECT_EQ(other.stateOf(QStringLiteral("nan")), false);
}

TEST(Breakpoints, ContinueStopsAtEachInBothDirections) {
  OnBreakpoints on;
  on.breakpoints().add(QStringLiteral("any collective"), QStringLiteral("kind:collective"));
  on.breakpoints().add({}, QStringLiteral("cache:miss"));
  const EventFilter collectives(on.journal, parseQuery("kind:collective").value());
  const EventFilter misses(on.journal, parseQuery("cache:miss").value());
  std::vector<EventId> expected;
  for (EventId id = 1; id <= on.end(); ++id) {
    if (collectives.matches(id) || misses.matches(id)) {
      expected.push_back(id);
    }
  }
  ASSERT_GT(expected.size(), 2U);
  for (const EventId event : expected) {
    on.press(Qt::Key_F5);
    ASSERT_TRUE(on.at(event)) << event;
    EXPECT_TRUE(
        on.message().startsWith(QStringLiteral("Stopped at event %1: breakpoint").arg(event)));
  }
  on.press(Qt::Key_F5);
  EXPECT_TRUE(on.at(on.end()));
  EXPECT_EQ(on.message(), QStringLiteral("No breakpoint reached"));
  for (auto event = expected.rbegin(); event != expected.rend(); ++event) {
    on.press(Qt::Key_F5, Qt::ControlModifier);
    ASSERT_TRUE(on.at(*event)) << *event;
  }
  on.press(Qt::Key_F5, Qt::ControlModifier);
  EXPECT_TRUE(on.at(0));
  const auto hits = [&](int row) {
    return on.breakpoints().index(row, BreakpointsModel::Hits).data().toUInt();
  };
  EXPECT_EQ(hits(0) + hits(1), 2 * expected.size());
}

TEST(Breakpoints, ContinueWithoutBreakpointsGoesToTheEnd) {
  OnBreakpoints on;
  on.press(Qt::Key_F5);
  EXPECT_TRUE(on.at(on.end()));
  EXPECT_EQ(on.message(), QString());
  on.breakpoints().add({}, QStringLiteral("kind:collective"));
  on.breakpoints().setData(on.breakpoints().index(0, 0), Qt::Unchecked, Qt::CheckStateRole);
  on.press(Qt::Key_F5, Qt::ControlModifier);
  EXPECT_TRUE(on.at(0));
  EXPECT_EQ(on.message(), QString());
}

TEST(Breakpoints, MessageDisappearsWithThePosition) {
  OnBreakpoints on;
  on.breakpoints().add(QStringLiteral("any collective"), QStringLiteral("kind:collective"));
  on.press(Qt::Key_F5);
  const EventId collective = first(on.journal, "kind:collective");
  ASSERT_TRUE(on.at(collective));
  EXPECT_EQ(on.message(),
            QStringLiteral("Stopped at event %1: breakpoint “any collective”").arg(collective));
  on.press(Qt::Key_Right);
  EXPECT_TRUE(on.at(collective + 1));
  EXPECT_EQ(on.message(), QString());
}

TEST(Breakpoints, SetOnALineByKeyAndByClick) {
  OnBreakpoints on;
  auto* program = on.find<QListView>("programView");
  const auto* model = qobject_cast<const ProgramModel*>(program->model());
  int row = 0;
  while (model->stepOf(model->index(row)) != 2) {
    ++row;
    ASSERT_LT(row, model->rowCount());
  }
  const auto state = [&] { return model->index(row).data(ProgramModel::BreakpointRole).toInt(); };
  program->setFocus();
  program->setCurrentIndex(model->index(row));
  on.press(Qt::Key_F9);
  EXPECT_EQ(state(), ProgramModel::On);
  ASSERT_EQ(on.breakpoints().rowCount(), 1);
  EXPECT_EQ(on.breakpoints().index(0, BreakpointsModel::QueryText).data().toString(),
            QStringLiteral("kind:step step:3"));
  on.press(Qt::Key_F5);
  EXPECT_TRUE(on.at(LookupRun::find(on.journal, EventKind::Step, 2)));
  on.breakpoints().setData(on.breakpoints().index(0, 0), Qt::Unchecked, Qt::CheckStateRole);
  EXPECT_EQ(state(), ProgramModel::Off);
  const EventId before = on.window.cursor().position();
  const QRect place = program->visualRect(model->index(row));
  QTest::mouseClick(program->viewport(), Qt::LeftButton, {},
                    QPoint(place.left() + 8, place.center().y()));
  EXPECT_EQ(state(), ProgramModel::None);
  QTest::mouseClick(program->viewport(), Qt::LeftButton, {},
                    QPoint(place.left() + 8, place.center().y()));
  EXPECT_EQ(state(), ProgramModel::On);
  EXPECT_EQ(on.window.cursor().position(), before);  // such a click does not move the cursor
}

TEST(Breakpoints, RunsToTheChosenRowOrAnEarlierBreakpoint) {
  OnBreakpoints on;
  auto* program = on.find<QListView>("programView");
  const auto* model = qobject_cast<const ProgramModel*>(program->model());
  const EventId third = LookupRun::find(on.journal, EventKind::Step, 2);
  const auto choose = [&] {
    program->setFocus();
    for (int row = 0; row < model->rowCount(); ++row) {
      if (model->stepOf(model->index(row)) == 2) {
        program->setCurrentIndex(model->index(row));
      }
    }
  };
  choose();
  on.press(Qt::Key_F10, Qt::ControlModifier);
  EXPECT_TRUE(on.at(third));
  on.window.cursor().toEnd();
  ASSERT_TRUE(on.at(on.end()));
  choose();
  on.press(Qt::Key_F10, Qt::ControlModifier);
  EXPECT_TRUE(on.at(third));
  on.window.cursor().toStart();
  ASSERT_TRUE(on.at(0));
  on.breakpoints().add({}, QStringLiteral("kind:step step:2"));
  choose();
  on.press(Qt::Key_F10, Qt::ControlModifier);
  EXPECT_TRUE(on.at(LookupRun::find(on.journal, EventKind::Step, 1)));
}

TEST(Breakpoints, RunsToARowOfSteps) {
  OnBreakpoints on;
  auto* steps = on.find<QTreeView>("stepsView");
  steps->setFocus();
  for (int i = 0; i < 4; ++i) {
    QTest::keyClick(steps, Qt::Key_Down);
  }
  const EventId chosen = steps->currentIndex().data(StepsModel::EventRole).toUInt();
  ASSERT_GT(chosen, 1U);
  on.press(Qt::Key_F10, Qt::ControlModifier);
  EXPECT_TRUE(on.at(chosen));
}

TEST(Breakpoints, PlayingStopsAtABreakpointAndAtTheEnd) {
  OnBreakpoints on;
  on.breakpoints().add({}, QStringLiteral("kind:collective"));
  for (int i = 0; i < 9; ++i) {
    on.press(Qt::Key_Greater);
  }
  const EventId collective = first(on.journal, "kind:collective");
  on.press(Qt::Key_Space);
  EXPECT_TRUE(on.position().endsWith(QStringLiteral("playing, 20/s"))) << qPrintable(on.position());
  EXPECT_EQ(on.find<QPushButton>("playButton")->text(), QStringLiteral("pause"));
  EXPECT_TRUE(QTest::qWaitFor(
      [&] {
        return on.position().startsWith(QStringLiteral("event %1 of").arg(collective)) &&
               !on.position().contains(QStringLiteral("playing"));
      },
      20000));
  EXPECT_TRUE(on.message().startsWith(QStringLiteral("Stopped at")));
  EXPECT_EQ(on.find<QPushButton>("playButton")->text(), QStringLiteral("play"));
  on.press(Qt::Key_Space);
  EXPECT_TRUE(QTest::qWaitFor([&] { return on.window.cursor().atEnd(); }, 20000));
  EXPECT_TRUE(QTest::qWaitFor([&] { return !on.position().contains(QStringLiteral("playing")); }));
}

TEST(Breakpoints, SpaceAndEscapePauseButSpacePressesAFocusedButton) {
  OnBreakpoints on;
  const auto plays = [&] { return on.position().contains(QStringLiteral("playing")); };
  on.press(Qt::Key_Less);  // slowest: one event per second
  on.find<QTreeView>("stepsView")->setFocus();
  on.press(Qt::Key_Space);
  EXPECT_TRUE(plays());
  on.press(Qt::Key_Space);
  EXPECT_FALSE(plays());
  on.press(Qt::Key_Space);
  QTest::keyClick(on.find<QTreeView>("stepsView"), Qt::Key_Escape);
  EXPECT_FALSE(plays());
  auto* step = on.find<QPushButton>("stepButton");
  step->setFocus();
  QTest::keyClick(step, Qt::Key_Space);
  EXPECT_FALSE(plays());
  EXPECT_TRUE(on.at(1));
}

TEST(Breakpoints, AreAddedSwitchedAndRemovedInTheSheet) {
  OnBreakpoints on;
  on.press(Qt::Key_B, Qt::ControlModifier);
  auto* sheet = on.find<QWidget>("breakpointsSheet");
  ASSERT_TRUE(sheet->isVisible());
  auto* line = sheet->findChild<QLineEdit*>(QStringLiteral("breakpointQuery"));
  auto* list = sheet->findChild<QTableView*>(QStringLiteral("breakpointsView"));
  auto* add = sheet->findChild<QPushButton*>(QStringLiteral("addBreakpoint"));
  EXPECT_FALSE(list->isVisible());
  EXPECT_FALSE(add->isEnabled());
  line->setFocus();
  QTest::keyClicks(line, QStringLiteral("refcount:x"));
  EXPECT_FALSE(add->isEnabled());
  auto* mistake = sheet->findChild<QLabel*>(QStringLiteral("breakpointQueryMistake"));
  EXPECT_EQ(mistake->text(),
            QStringLiteral("at 1: refcount: got x, expected a number, or a range such as 0-3"));
  QTest::keyClick(line, Qt::Key_Backspace);
  QTest::keyClick(line, Qt::Key_0);
  EXPECT_FALSE(mistake->isVisible());
  QTest::keyClick(line, Qt::Key_Return);
  ASSERT_EQ(on.breakpoints().rowCount(), 1);
  EXPECT_EQ(on.breakpoints().stateOf(QStringLiteral("refcount:0")), true);
  EXPECT_EQ(line->text(), QString());
  list->setFocus();
  QTest::keyClick(list, Qt::Key_Space);
  EXPECT_EQ(on.breakpoints().stateOf(QStringLiteral("refcount:0")), false);
  sheet->findChild<QPushButton*>(QStringLiteral("removeBreakpoint"))->click();
  EXPECT_EQ(on.breakpoints().rowCount(), 0);
  QTest::keyClick(sheet, Qt::Key_Escape);
  EXPECT_FALSE(sheet->isVisible());
}

TEST(Breakpoints, EachTemplateIsAValidQuery) {
  OnBreakpoints on;
  auto* usual = on.find<QPushButton>("usualBreakpoints");
  auto* line = on.find<QLineEdit>("breakpointQuery");
  int toBeCompleted = 0;
  for (QAction* preset : usual->findChild<QMenu*>()->actions()) {
    const int before = on.breakpoints().rowCount();
    line->clear();
    preset->trigger();
    const bool isAdded = on.breakpoints().rowCount() == before + 1;
    EXPECT_NE(isAdded, !line->text().isEmpty()) << qPrintable(preset->text());
    toBeCompleted += isAdded ? 0 : 1;
  }
  EXPECT_EQ(toBeCompleted, 3);
  EXPECT_EQ(on.breakpoints().rowCount(), 8);
}

TEST(Breakpoints, AreStoredPerDocument) {
  OnBreakpoints on;
  on.breakpoints().add({}, QStringLiteral("kind:collective"));
  ASSERT_TRUE(on.open(on.path("run.shardlens")));
  EXPECT_EQ(on.breakpoints().rowCount(), 1);
  writeLookup(on.path("other.shardlens"));
  ASSERT_TRUE(on.open(on.path("other.shardlens")));
  EXPECT_EQ(on.breakpoints().rowCount(), 0);
}

// The query for events similar to an event matches that event.
TEST(SimilarEvents, MatchTheEventItself) {
  Journal journal;
  recordLookup(journal);
  for (EventId id = 1; id <= journal.size(); ++id) {
    const std::string query = similarEvents(journal, id);
    const auto parsed = parseQuery(query);
    ASSERT_TRUE(parsed) << query << ": " << parsed.error().message;
    EXPECT_TRUE(EventFilter(journal, *parsed).matches(id)) << query;
  }
  EXPECT_EQ(similarEvents(journal, LookupRun::find(journal, EventKind::Collective)),
            "kind:collective name:all_reduce");
}

}  // namespace
}  // namespace shardlens
