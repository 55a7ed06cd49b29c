// Each command of the catalogue, by each of its keys and by a click in its menu: the same comes of
// both. One that has no row here fails.
#include "tests/ui/support/file_dialog.h"
#include "tests/ui/support/recorded_scenario.h"
#include "tests/ui/support/window.h"
#include "ui/bridge/bookmark_keeper.h"
#include "ui/bridge/engine_client.h"
#include "ui/bridge/plain_check.h"
#include "ui/panels/panel.h"
#include "ui/scenes/zoom.h"
#include "ui/shell/command_catalogue.h"
#include "ui/shell/program_editing.h"
#include "ui/shell/window_link.h"
#include "ui/widgets/motion.h"

#include <gmock/gmock.h>

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QDockWidget>
#include <QFileDialog>
#include <QFileInfo>
#include <QLineEdit>
#include <QListView>
#include <QMenu>
#include <QMenuBar>
#include <QTimer>
#include <functional>
#include <map>

namespace shardlens {
namespace {

// Its third look-up is refused, after 31 events.
const char* const kRefused = "06-conflicting-masks-torch-2.15.json";
// Of its 80 events the 19th, the 42nd and the 74th are problems.
const char* const kImplicit = "14-partial-times-and-plus-a-scalar.json";

QString recording(const char* name = kRefused) { return recordingOf(galleryScenario(name)); }

struct OnCommands : Window {
  OnCommands() { QGuiApplication::setQuitOnLastWindowClosed(false); }
  ~OnCommands() {
    for (MainWindow* each : windows()) {
      if (each != &window) delete each;
    }
    Zoom::now().set(1);
    Motion::want(false);
    view::setNotation(view::Notation::DTensor);
  }
  void pressAndSee(int key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
    press(key, modifiers);
    window.redraw();
  }
  void moveTo(EventId position) {
    window.cursor().moveTo(position);
    window.redraw();
  }
  void type(const char* text) {
    QTest::keyClicks(QApplication::focusWidget(), QLatin1String(text));
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Return);
  }
  bool shown(const char* name) {
    const auto* part = find<QWidget>(name);
    return part != nullptr && part->isVisible();
  }
  static QList<MainWindow*> windows() {
    QList<MainWindow*> all;
    for (QWidget* each : QApplication::topLevelWidgets()) {
      auto* window = qobject_cast<MainWindow*>(each);
      if (window != nullptr && window->isVisible()) all << window;
    }
    return all;
  }
};

using Act = std::function<void(OnCommands&)>;
using Look = std::function<QString(OnCommands&)>;

QString text(bool is) { return is ? QStringLiteral("yes") : QStringLiteral("no"); }

QString place(OnCommands& on) { return QString::number(on.window.cursor().position()); }
QString opened(OnCommands& on) {
  return on.window.document() == nullptr ? QString()
                                         : QFileInfo(on.window.document()->path()).fileName();
}
QString zoom(OnCommands& /*on*/) { return QString::number(Zoom::now().factor()); }
QString notation(OnCommands& /*on*/) {
  return QString::fromUtf8(view::notationName(view::notation()));
}
QString playing(OnCommands& on) { return on.position().section(QStringLiteral("playing"), 1); }

Look shows(const char* name) {
  return [name](OnCommands& on) { return text(on.shown(name)); };
}

// What a person opened and did first, what is seen when the command is done, and was not before.
struct Deed {
  enum Opened { Nothing, Recording, Scenario } opened;
  Act before;
  Look seen;
  const char* after;
};

Act at(EventId position) {
  return [position](OnCommands& on) { on.moveTo(position); };
}

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

// The problems are searched when the window has nothing else to do.
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

Act type(double factor) {
  return [factor](OnCommands& on) { on.window.setZoom(factor); };
}

void play(OnCommands& on) {
  on.moveTo(0);
  on.press(Qt::Key_Space);
}

// Its steps behind the 6th event are others, but for the look-ups.
void openBeside(OnCommands& on) {
  on.window.openBeside(recording("05-pending-lookups-and-their-masks.json"));
  EXPECT_TRUE(QTest::qWaitFor(
      [&] { return on.window.link() != nullptr && on.window.link()->isCompared(); }, 30000));
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

// What was asked of the file has been answered by then.
QString bookmarked(OnCommands& on) {
  BookmarkKeeper::waitForAll();
  QCoreApplication::processEvents();
  on.window.redraw();
  return text(on.window.cursor().journal().bookmarks().contains(9));
}

void nothing(OnCommands& /*on*/) {}

const std::map<std::string, Deed>& deedsOfGo() {
  using enum Deed::Opened;
  static const std::map<std::string, Deed> kDeeds = {
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
  return kDeeds;
}

const std::map<std::string, Deed>& deedsOfFile() {
  using enum Deed::Opened;
  static const std::map<std::string, Deed> kDeeds = {
      {"newWindow",
       {Nothing, nothing, [](OnCommands&) { return QString::number(OnCommands::windows().size()); },
        "2"}},
      {"open",
       {Nothing, [](OnCommands& on) { answerFiles(on, recording()); }, opened,
        "06-conflicting-masks-torch-2.15.shardlens"}},
      {"openFolder",
       {Nothing, [](OnCommands& on) { answerFiles(on, on.folder.path()); },
        [](OnCommands& on) { return on.window.property(kAskedFor).toString(); },
        "Open the recordings of a run's processes"}},
      {"paste",
       {Nothing, [](OnCommands&) { QApplication::clipboard()->setText(recording()); }, opened,
        "06-conflicting-masks-torch-2.15.shardlens"}},
      {"follow", {Nothing, nothing, shows("followDialog"), "yes"}},
      {"save",
       {Recording, [](OnCommands& on) { answerFiles(on, on.path("kept.shardlens")); },
        [](OnCommands& on) { return text(QFile::exists(on.path("kept.shardlens"))); }, "yes"}},
      {"export", {Recording, nothing, shows("exportDialog"), "yes"}},
      {"copyStep",
       {Recording,
        [](OnCommands& on) {
          QApplication::clipboard()->clear();
          on.moveTo(14);
        },
        [](OnCommands&) {
          return text(QApplication::clipboard()->text().contains(QStringLiteral("aten.embedding")));
        },
        "yes"}},
      {"runAgain",
       {Scenario,
        [](OnCommands& on) {
          on.press(Qt::Key_End);
          EXPECT_TRUE(QTest::qWaitFor([&] { return on.window.cursor().position() == 32; }, 30000));
        },
        place, "0"}},
      {"checkResults",
       {Scenario, [](OnCommands&) { PlainCheck::want(false); },
        [](OnCommands&) { return text(PlainCheck::isWanted()); }, "yes"}},
      {"compare",
       {Recording, [](OnCommands& on) { answerFiles(on, recording()); }, shows("comparisonSheet"),
        "yes"}},
      {"openBeside",
       {Recording, [](OnCommands& on) { answerFiles(on, recording()); }, shows("linkBar"), "yes"}},
      {"unlink", {Recording, openBeside, shows("linkBar"), "no"}},
      {"close", {Recording, nothing, shows("welcomePage"), "yes"}},
      {"quit",
       {Nothing, nothing, [](OnCommands&) { return QString::number(OnCommands::windows().size()); },
        "0"}},
  };
  return kDeeds;
}

QString mesh(OnCommands& on) {
  auto* line = on.find<QLineEdit>("field-mesh");
  return line == nullptr ? QString() : line->text();
}

// The program of the recording, on two ranks.
void changeMesh(OnCommands& on) {
  on.press(Qt::Key_E, Qt::ControlModifier | Qt::ShiftModifier);
  auto* parts = on.find<QListView>("programParts");
  parts->setCurrentIndex(parts->model()->index(0, 0));
  auto* line = on.find<QLineEdit>("field-mesh");
  line->setFocus();
  line->selectAll();
  QTest::keyClicks(line, QStringLiteral("2:tp"));
}

void runOnTwoRanks(OnCommands& on) {
  changeMesh(on);
  on.press(Qt::Key_R, Qt::ControlModifier);
  EXPECT_TRUE(QTest::qWaitFor([&] { return on.window.editing().isChangedRun(); }, 60000));
}

const std::map<std::string, Deed>& deedsOfEdit() {
  using enum Deed::Opened;
  const Look saved = [](OnCommands& on) { return text(QFile::exists(on.path("kept.json"))); };
  static const std::map<std::string, Deed> kDeeds = {
      {"undo", {Recording, changeMesh, mesh, "4:tp"}},
      {"redo",
       {Recording,
        [](OnCommands& on) {
          changeMesh(on);
          on.press(Qt::Key_Z, Qt::ControlModifier);
        },
        mesh, "2:tp"}},
      {"changeProgram", {Recording, nothing, shows("programSheet"), "yes"}},
      {"whatIf", {Recording, at(14), shows("whatIfSheet"), "yes"}},
      {"runChanged",
       {Recording, changeMesh,
        [](OnCommands& on) { return text(on.window.editing().isChangedRun()); }, "yes"}},
      {"compareEarlier", {Recording, runOnTwoRanks, shows("comparisonSheet"), "yes"}},
      {"openEarlier",
       {Recording, runOnTwoRanks,
        [](OnCommands& on) {
          return text(QTest::qWaitFor([&] { return on.shown("linkBar"); }, 20000));
        },
        "yes"}},
      {"saveProgram",
       {Recording,
        [](OnCommands& on) {
          changeMesh(on);
          answerFiles(on, on.path("kept.json"));
        },
        saved, "yes"}},
      {"saveProgramAs",
       {Recording, [](OnCommands& on) { answerFiles(on, on.path("kept.json")); }, saved, "yes"}},
  };
  return kDeeds;
}

const std::map<std::string, Deed>& deedsOfView() {
  using enum Deed::Opened;
  static const std::map<std::string, Deed> kDeeds = {
      {"filter",
       {Recording, [](OnCommands& on) { on.find<QWidget>("stepsView")->setFocus(); },
        shows("stepsFilter"), "yes"}},
      {"dark", {Nothing, nothing, [](OnCommands& on) { return text(on.window.isDark()); }, "yes"}},
      {"asSystem",
       {Nothing, [](OnCommands& on) { on.window.setDark(true); },
        [](OnCommands& on) { return text(on.window.isDark()); }, "no"}},
      {"motion",
       {Nothing, [](OnCommands& /*on*/) { Motion::want(false); },
        [](OnCommands& /*on*/) { return text(Motion::isWanted()); }, "yes"}},
      {"notationDTensor",
       {Nothing, [](OnCommands& on) { on.window.setNotation(view::Notation::NamedAxes); }, notation,
        "dtensor"}},
      {"notationAxes", {Nothing, nothing, notation, "axes"}},
      {"notationJax", {Nothing, nothing, notation, "jax"}},
      {"largerType", {Nothing, type(1), zoom, "1.1"}},
      {"smallerType", {Nothing, type(1.1), zoom, "1"}},
      {"normalType", {Nothing, type(1.1), zoom, "1"}},
      {"present", {Recording, nothing, shows("moves"), "no"}},
      {"resetLayout",
       {Recording, [](OnCommands& on) { on.find<QDockWidget>("stepsPanelDock")->hide(); },
        shows("stepsPanelDock"), "yes"}},
      {"palette", {Nothing, nothing, shows("commandPalette"), "yes"}},
      {"tour", {Recording, nothing, shows("tour"), "yes"}},
      {"legend", {Nothing, nothing, shows("legend"), "yes"}},
      {"shortcuts", {Nothing, nothing, shows("shortcutSheet"), "yes"}},
  };
  return kDeeds;
}

std::map<std::string, Deed> allDeeds() {
  auto all = deedsOfGo();
  all.insert(deedsOfFile().begin(), deedsOfFile().end());
  all.insert(deedsOfEdit().begin(), deedsOfEdit().end());
  all.insert(deedsOfView().begin(), deedsOfView().end());
  return all;
}

// Opens the menu on the bar and clicks the row of the command.
void clickInMenu(Window& on, const CommandEntry& entry) {
  auto* bar = on.window.findChild<QMenuBar*>();
  for (QAction* named : bar->actions()) {
    if (named->text() != nameOf(entry.menu)) continue;
    QTest::mouseClick(bar, Qt::LeftButton, {}, bar->actionGeometry(named).center());
    QMenu* menu = named->menu();
    ASSERT_TRUE(QTest::qWaitFor([menu] { return menu->isVisible(); }));
    QAction* action = on.find<QAction>(entry.id);
    ASSERT_TRUE(action->isEnabled());
    QTest::mouseClick(menu, Qt::LeftButton, {}, menu->actionGeometry(action).center());
  }
}

class EveryCommand : public testing::TestWithParam<std::pair<const std::string, Deed>> {
 protected:
  ~EveryCommand() override { PlainCheck::want(false); }

  // Of a window of its own each time.
  void expectDone(const Deed& deed, const Act& command) {
    OnCommands on;
    on.window.activateWindow();
    EXPECT_TRUE(QTest::qWaitForWindowActive(&on.window));
    if (deed.opened != Deed::Nothing) {
      qputenv("SHARDLENS_ENGINE", SHARDLENS_ENGINE);
      ASSERT_TRUE(on.open(deed.opened == Deed::Scenario ? galleryScenario(kRefused) : recording()));
    }
    deed.before(on);
    const auto after = QString::fromLatin1(deed.after);
    ASSERT_NE(deed.seen(on), after) << "before";
    command(on);
    QTest::qWaitFor([&] { return deed.seen(on) == after; }, 30000);
    EXPECT_EQ(deed.seen(on), after);
  }
};

TEST_P(EveryCommand, DoesTheSameByAKeyAndByAClick) {
  const auto& [id, deed] = GetParam();
  const auto& all = commandCatalogue();
  const auto entry = std::find_if(all.begin(), all.end(),
                                  [&id = id](const CommandEntry& each) { return each.id == id; });
  ASSERT_NE(entry, all.end());
  for (const QKeySequence& key : entry->keys) {
    SCOPED_TRACE(key.toString().toStdString());
    const QKeyCombination pressed = key[0];
    expectDone(deed,
               [pressed](OnCommands& on) { on.press(pressed.key(), pressed.keyboardModifiers()); });
  }
  SCOPED_TRACE("in the menu");
  expectDone(deed, [&entry](OnCommands& on) { clickInMenu(on, *entry); });
}

INSTANTIATE_TEST_SUITE_P(Catalogue, EveryCommand, testing::ValuesIn(allDeeds()),
                         [](const auto& info) { return info.param.first; });

TEST(EveryCommandOfTheCatalogue, IsTriedHere) {
  const auto deeds = allDeeds();
  for (const CommandEntry& entry : commandCatalogue()) {
    EXPECT_TRUE(deeds.contains(entry.id)) << entry.id;
  }
}

}  // namespace
}  // namespace shardlens
