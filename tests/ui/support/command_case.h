#pragma once

#include "tests/ui/support/recorded_scenario.h"
#include "tests/ui/support/window.h"
#include "ui/scenes/zoom.h"
#include "ui/shell/window_link.h"
#include "ui/widgets/motion.h"

#include <gmock/gmock.h>

#include <QApplication>
#include <QFileInfo>
#include <functional>
#include <map>

namespace shardlens::cases {

// A scenario of the gallery whose third lookup is refused, after 31 events.
inline const char* const kRefused = "06-conflicting-masks-torch-2.15.json";
inline QString recording(const char* name = kRefused) { return recordingOf(galleryScenario(name)); }

// A window for tests of commands. The destructor deletes all other windows and resets the zoom and
// the animation.
struct OnCommands : Window {
  OnCommands() { QGuiApplication::setQuitOnLastWindowClosed(false); }
  ~OnCommands() {
    // One that is not visible yet would appear in the midst of the next test.
    for (MainWindow* each : allWindows()) {
      if (each != &window) delete each;
    }
    Zoom::now().set(1);
    Motion::setEnabled(false);
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
  // Returns true if a part with this object name exists and is visible.
  bool shown(const char* name) {
    const auto* part = find<QWidget>(name);
    return part != nullptr && part->isVisible();
  }
  // Includes windows that are not visible yet, or are closed.
  static QList<MainWindow*> allWindows() {
    QList<MainWindow*> all;
    for (QWidget* each : QApplication::topLevelWidgets()) {
      if (auto* window = qobject_cast<MainWindow*>(each)) all << window;
    }
    return all;
  }
  static qsizetype countVisibleWindows() {
    const auto all = allWindows();
    return std::count_if(all.begin(), all.end(), [](auto* each) { return each->isVisible(); });
  }
};

using Act = std::function<void(OnCommands&)>;
using Probe = std::function<QString(OnCommands&)>;

inline QString text(bool is) { return is ? QStringLiteral("yes") : QStringLiteral("no"); }

inline QString place(OnCommands& on) { return QString::number(on.window.cursor().position()); }
inline QString opened(OnCommands& on) {
  return on.window.document() == nullptr ? QString()
                                         : QFileInfo(on.window.document()->path()).fileName();
}
inline Probe shows(const char* name) {
  return [name](OnCommands& on) { return text(on.shown(name)); };
}

// How to test a command: the document to open, preparations, and an observation whose value is
// `after` once the command has run, and another before.
struct CommandCase {
  enum Opened { Nothing, Recording, Scenario } opened;
  Act before;
  Probe seen;
  const char* after;
};

inline Act at(EventId position) {
  return [position](OnCommands& on) { on.moveTo(position); };
}

inline void nothing(OnCommands& /*on*/) {}

// Opens a second recording beside the first. Its steps after event 6 differ, except for the
// lookups.
inline void openBeside(OnCommands& on) {
  on.window.openBeside(recording("05-pending-lookups-and-their-masks.json"));
  EXPECT_TRUE(QTest::qWaitFor(
      [&] { return on.window.link() != nullptr && on.window.link()->isCompared(); }, 30000));
}

// The test cases of each menu, by the id of the command.
std::map<std::string, CommandCase> goCases();
std::map<std::string, CommandCase> fileCases();
std::map<std::string, CommandCase> editCases();
std::map<std::string, CommandCase> viewCases();

}  // namespace shardlens::cases
