// shardlens-window-bench: measures the window on a recording of millions of events, with all panels
// open. Times are processor times of the window's thread, because other programs may use the
// machine too. The time of the first window is that of the whole process.

#include "app/bench/journal_case.h"
#include "app/bench/process_memory.h"
#include "app/bench/samples.h"
#include "app/bench/temporary_folder.h"
#include "app/bench/window/event_loop_watch.h"
#include "ui/pages/comparison_page.h"
#include "ui/panels/steps_panel.h"
#include "ui/shell/main_window.h"
#include "ui/shell/style.h"
#include "ui/shell/window_link.h"
#include "ui/widgets/table_view.h"

#include <fmt/core.h>

#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QCommandLineParser>
#include <QDialog>
#include <QDockWidget>
#include <QLabel>
#include <QLineEdit>
#include <QProcess>
#include <QProgressBar>
#include <QTest>
#include <ctime>
#include <functional>
#include <random>

namespace shardlens {
namespace {

constexpr int kFailed = 1;
constexpr int kUnreadable = 2;
constexpr int kPlaces = 300;  // positions that a move() visits
constexpr int kFrame = 16;    // ms
constexpr int kBlock = 50;    // ms; longest allowed block of the event loop

void print(const std::string& name, double figure, const char* unit, double goal) {
  fmt::print("  {:<52} {:>8.1f} {:<4}", name, figure, unit);
  if (goal > 0) fmt::print("{:>5} at most, {}", goal, figure <= goal ? "met" : "MISSED");
  fmt::print("\n");
  std::fflush(stdout);
}

double processWork() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
}

// A window and its measurements; each is printed once it is taken.
class WindowMeasurement {
 public:
  WindowMeasurement() {
    window_.resize(1440, 900);
    window_.show();
    waitFor([this] { return window_.isActiveWindow(); });
    QCoreApplication::processEvents();
    print("first window, cold", processWork(), "ms", 1000);
  }

  bool open(const QString& path) {
    block("opening", [&] {
      window_.openPath(path);
      waitFor([this] { return !window_.isOpening(); });
    });
    block("the panels that were closed", [this] {
      for (QDockWidget* dock : window_.findChildren<QDockWidget*>()) dock->show();
    });
    return window_.document() != nullptr;
  }

  void measure() {
    block("Problems searching",
          [this] { waitFor([this] { return !window_.problems().isSearching(); }); });
    std::minstd_rand random;
    const EventId size = window_.cursor().size();
    move("a step", [&](int place) {
      const EventId position = window_.cursor().position();
      return place % 30 == 0 ? static_cast<EventId>(random() % (size - 40)) : position + 1;
    });
    move("scrubbing, anywhere", [&](int) { return static_cast<EventId>(random() % size); });
    auto* canvas = window_.findChild<QWidget*>(QStringLiteral("timelineCanvas"));
    block("the Timeline brought up", [this, canvas] {
      for (QDockWidget* dock : window_.findChildren<QDockWidget*>()) {
        if (dock->isAncestorOf(canvas)) dock->raise();
      }
    });
    move("a step, with the Timeline in front",
         [&](int) { return window_.cursor().position() + 1; });
    block("the Timeline zoomed out, and in again", [canvas] {
      for (const auto key : {Qt::Key_0, Qt::Key_Plus, Qt::Key_Plus, Qt::Key_Minus}) {
        QTest::keyClick(canvas, key);
        idle();
      }
    });
    block("the list of tensors opened", [this] {
      auto* tensors = window_.findChild<QComboBox*>(QStringLiteral("tensorChoice"));
      tensors->showPopup();
      idle();
      tensors->hidePopup();
    });
    filter();
    for (const bool dark : {true, false}) {
      block(dark ? "dark" : "light", [&] { window_.setDark(dark); });
    }
    block("larger type", [this] { trigger("largerType"); });
    block("the usual type", [this] { trigger("normalType"); });
    block("presenting", [this] { trigger("present"); });
    block("presenting no more", [this] { trigger("present"); });
    block("the keys, and the palette of commands", [this] {
      trigger("shortcuts");
      idle();
      trigger("shortcuts");
      trigger("palette");
      idle();
      QTest::keyClick(QApplication::activeWindow(), Qt::Key_Escape);
    });
    block("the export dialog", [this] {
      trigger("export");
      idle();
      window_.findChild<QDialog*>(QStringLiteral("exportDialog"))->close();
    });
    print("memory of the process at most", peakMiB(), "MiB", 300);
  }

  void compare(const QString& path) {
    block("comparing with the same", [&] {
      window_.compareWith(path);
      auto* busy = window_.comparison().findChild<QProgressBar*>();
      waitFor([busy] { return !busy->isVisible(); });
      window_.comparison().close();
    });
  }

  void link(const QString& path) {
    block("opening another beside it, and comparing", [&] {
      window_.openBeside(path);
      waitFor([this] { return window_.link() != nullptr && window_.link()->isCompared(); });
    });
    std::minstd_rand random;
    const EventId size = window_.cursor().size();
    move(
        "scrubbing both", [&](int) { return static_cast<EventId>(random() % size); }, 2 * kFrame);
    print("memory of the process with both at most", peakMiB(), "MiB", 0);
    print("memory of the process with both, then", residentMiB(), "MiB", 0);
    block("closing both", [this] {
      window_.link()->second().close();
      window_.closeDocument();
    });
  }

 private:
  void trigger(const char* command) {
    window_.findChild<QAction*>(QLatin1String(command))->trigger();
  }
  // Measures filtering by kind in Events, and searching for a word in Caches.
  void filter() {
    auto* steps = window_.findChild<StepsPanel*>();
    block("filtering Events", [&] {
      steps->setFilter(QStringLiteral("kind:collective"));
      auto* count = window_.findChild<QLabel*>(QStringLiteral("stepsFilterCount"));
      waitFor([count] { return !count->text().endsWith(u'…'); });
      steps->setFilter({});
    });
    block("finding in Caches", [&] {
      auto* table = window_.findChild<QuietTable*>(QStringLiteral("cachesView"));
      table->setFocus();
      trigger("filter");
      auto* words = window_.findChild<QLineEdit*>(QStringLiteral("cachesViewFilter"));
      words->setText(QStringLiteral("mm"));
      idle();
      words->clear();
    });
  }
  static void waitFor(const std::function<bool()>& done) {
    while (!QTest::qWaitFor(done, 1000)) continue;
  }
  // Runs the event loop for two frames, so that queued work is done and painted.
  static void idle() { QTest::qWait(2 * kFrame); }

  // Prints the longest block of the event loop during `act`.
  void block(const std::string& name, const std::function<void()>& act) {
    idle();
    watch_.restart();
    act();
    idle();
    print(name + ": longest block", watch_.longestWork(), "ms", kBlock);
  }

  // Moves the cursor to positions given by `next`. Prints the processor time of a move, until the
  // window has redrawn, and the longest block.
  void move(const std::string& name, const std::function<EventId(int place)>& next,
            double goal = kFrame) {
    Samples worked;
    watch_.restart();
    for (int place = 0; place < kPlaces; ++place) {
      const EventId position = next(place);
      if (position == window_.cursor().position()) continue;  // would not redraw
      idle();
      const double before = EventLoopWatch::work();
      window_.cursor().moveTo(position);
      QEventLoop moved;
      QObject::connect(&window_, &MainWindow::redrawn, &moved, &QEventLoop::quit);
      moved.exec();
      QCoreApplication::processEvents();
      worked.add(EventLoopWatch::work() - before);
    }
    print(name + ": median", worked.median(), "ms", 0);
    print(name + ": 95 in 100", worked.quantile(0.95), "ms", goal);
    print(name + ": longest block", watch_.longestWork(), "ms", kBlock);
  }

  MainWindow window_{MainWindow::Memory::Forgets};
  EventLoopWatch watch_;
};

// Prints the processor time of the process until the window shows the totals of the run, or the
// recording if it is read before them.
int measureFirstPicture(const QString& path) {
  applyColourScheme(*qApp, ColourScheme::Light);
  MainWindow window(MainWindow::Memory::Forgets);
  window.resize(1440, 900);
  window.show();
  window.openPath(path);
  const auto* page = window.findChild<QWidget*>(QStringLiteral("openingPage"));
  while (!QTest::qWaitFor([&] { return page->isVisible() || !window.isOpening(); }, 1000)) continue;
  window.grab();
  print("first picture", processWork(), "ms", 2000);
  return window.lastProblem().isEmpty() ? 0 : kUnreadable;
}

int measure(const QString& path) {
  applyColourScheme(*qApp, ColourScheme::Light);
  WindowMeasurement window;
  if (!window.open(path)) return kFailed;
  window.measure();
  window.compare(path);
  window.link(path);
  return 0;
}

// Writes a recording and measures it in a new process, whose memory the writing has not grown.
int measureInProcess(EventId events) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "run.shardlens";
  const auto recorded = recordJournal({.name = "a training loop on 8 ranks"}, events, path);
  if (!recorded) {
    fmt::print(stderr, "shardlens-window-bench: {}\n", recorded.error().message);
    return kFailed;
  }
  fmt::print("the window at 1440x900 on {} events, all panels open\n", *recorded);
  std::fflush(stdout);
  QProcess process;
  process.setProcessChannelMode(QProcess::ForwardedChannels);
  process.start(QCoreApplication::applicationFilePath(), {QString::fromStdString(path.string())});
  process.waitForFinished(-1);
  return process.exitCode();
}

int run(const QCoreApplication& application) {
  QCommandLineParser parser;
  parser.setApplicationDescription(QStringLiteral("Measures the window on a large recording."));
  parser.addHelpOption();
  parser.addPositionalArgument(QStringLiteral("PATH"), QStringLiteral("of one that is there"),
                               QStringLiteral("[PATH]"));
  const QCommandLineOption events(QStringLiteral("events"), QStringLiteral("to be recorded"),
                                  QStringLiteral("N"), QStringLiteral("10000000"));
  parser.addOption(events);
  const QCommandLineOption first(QStringLiteral("first-picture"),
                                 QStringLiteral("measure only the first picture of PATH"));
  parser.addOption(first);
  parser.process(application);
  const auto paths = parser.positionalArguments();
  if (parser.isSet(first) && !paths.isEmpty()) return measureFirstPicture(paths.front());
  return paths.isEmpty() ? measureInProcess(parser.value(events).toUInt()) : measure(paths.front());
}

}  // namespace
}  // namespace shardlens

int main(int argc, char** argv) {
  qputenv("QT_QPA_PLATFORM", "offscreen");
  QApplication application(argc, argv);
  return shardlens::run(application);
}
