// Test cases of the commands in Go.
#include "tests/ui/support/command_case.h"
#include "ui/bridge/bookmark_keeper.h"
#include "ui/bridge/engine_client.h"

#include <QAction>
#include <QLineEdit>

namespace shardlens::cases {
namespace {

// A scenario with 80 events, of which 19, 42 and 74 are problems.
const char* const kImplicit = "14-partial-times-and-plus-a-scalar.json";

QString playing(OnCommands& on) { return on.position().section(QStringLiteral("playing"), 1); }

Act breakOnMasksFrom(EventId position) {
  return [position](OnCommands& on) {
    on.window.breakpoints().add({}, QStringLiteral("kind:mask"));
    on.moveTo(position);
  };
}

Act filterMasksFrom(EventId position) {
  return [position](OnCommands& on) {
    on.find<QWidget>("stepsView")->setFocus();
    on.press(Qt::Key_Slash);
    on.type("kind:mask");
    on.moveTo(position);
  };
}

// Waits for the search for problems, which runs while the window is idle.
void awaitProblems(OnCommands& on) {
  EXPECT_TRUE(on.open(recording(kImplicit)));
  on.moveTo(42);
  EXPECT_TRUE(QTest::qWaitFor([&] { return on.window.problems().next(42) == 74; }, 30000));
}

Act chooseRowOf(EventId event) {
  return [event](OnCommands& on) {
    on.moveTo(event);
    on.find<QWidget>("stepsView")->setFocus();
  };
}

void play(OnCommands& on) {
  on.moveTo(0);
  on.press(Qt::Key_Space);
}

Act openBesideAndGoTo(EventId position) {
  return [position](OnCommands& on) {
    openBeside(on);
    on.moveTo(position);
  };
}

Act bookmarkFrom(EventId event, EventId position) {
  return [=](OnCommands& on) {
    const BookmarkChange mark{event, "noted"};
    on.window.document()->keep(mark);
    const Journal& journal = on.window.cursor().journal();
    EXPECT_TRUE(QTest::qWaitFor([&] { return journal.bookmarks().contains(event); }, 10000));
    on.moveTo(position);
  };
}

// Waits for accesses to the file, then returns the state of bookmarks.
QString bookmarked(OnCommands& on) {
  BookmarkKeeper::waitForAll();
  QCoreApplication::processEvents();
  on.window.redraw();
  return text(on.window.cursor().journal().bookmarks().contains(9));
}

}  // namespace

std::map<std::string, CommandCase> goCases() {
  using enum CommandCase::Opened;
  return {
      {"start", {Recording, at(20), place, "0"}},
      {"backOver", {Recording, at(21), place, "20"}},
      {"back", {Recording, at(21), place, "20"}},
      {"step", {Recording, at(20), place, "21"}},
      {"over", {Recording, at(21), place, "25"}},
      {"out", {Recording, at(21), place, "27"}},
      {"end", {Recording, at(20), place, "32"}},
      {"continue", {Recording, breakOnMasksFrom(0), place, "14"}},
      {"continueBack", {Recording, breakOnMasksFrom(22), place, "14"}},
      {"runToCursor",
       {Recording,
        [](OnCommands& on) {
          chooseRowOf(17)(on);
          QTest::keyClick(on.find<QWidget>("stepsView"), Qt::Key_Down);
        },
        place, "18"}},
      {"play", {Recording, at(0), playing, ", 2/s"}},
      {"faster", {Recording, play, playing, ", 5/s"}},
      {"slower", {Recording, play, playing, ", 1/s"}},
      {"nextMatch", {Recording, filterMasksFrom(15), place, "23"}},
      {"previousMatch", {Recording, filterMasksFrom(15), place, "14"}},
      {"nextProblem", {Nothing, awaitProblems, place, "74"}},
      {"previousProblem", {Nothing, awaitProblems, place, "19"}},
      {"firstDifference", {Recording, openBesideAndGoTo(20), place, "6"}},
      {"nextDifference", {Recording, openBesideAndGoTo(0), place, "6"}},
      {"previousDifference", {Recording, openBesideAndGoTo(20), place, "13"}},
      {"nextNote", {Recording, at(3), place, "6"}},
      {"previousNote", {Recording, at(32), place, "26"}},
      {"nextBookmark", {Recording, bookmarkFrom(9, 8), place, "9"}},
      {"previousBookmark", {Recording, bookmarkFrom(9, 10), place, "9"}},
      {"bookmark",
       {Recording, at(14),
        [](OnCommands& on) { return text(on.find<QWidget>("bookmarkNote")->hasFocus()); }, "yes"}},
      {"removeBookmark", {Recording, bookmarkFrom(9, 9), bookmarked, "no"}},
      {"restoreBookmark",
       {Recording,
        [](OnCommands& on) {
          bookmarkFrom(9, 9)(on);
          on.pressAndSee(Qt::Key_Backspace, Qt::ControlModifier);
          EXPECT_EQ(bookmarked(on), QStringLiteral("no"));
        },
        bookmarked, "yes"}},
      {"backInHistory",
       {Recording,
        [](OnCommands& on) {
          on.moveTo(5);
          on.pressAndSee(Qt::Key_Home);
        },
        place, "5"}},
      {"forwardInHistory",
       {Recording,
        [](OnCommands& on) {
          on.moveTo(5);
          on.pressAndSee(Qt::Key_Home);
          on.pressAndSee(Qt::Key_Left, Qt::AltModifier);
        },
        place, "0"}},
      {"goToRank",
       {Recording, nothing,
        [](OnCommands& on) {
          const QWidget* line = on.find<QWidget>("rankNumber");
          return text(line->isVisible() && line->hasFocus());
        },
        "yes"}},
      {"toggleBreakpoint",
       {Recording, chooseRowOf(14),
        [](OnCommands& on) { return QString::number(on.window.breakpoints().rowCount()); }, "1"}},
      {"breakpoints", {Recording, at(14), shows("breakpointsSheet"), "yes"}},
      {"stopEngine",
       {Scenario, nothing,
        [](OnCommands& on) {
          return text(on.window.document()->engine()->state() == EngineClient::State::Gone);
        },
        "yes"}},
  };
}

}  // namespace shardlens::cases
