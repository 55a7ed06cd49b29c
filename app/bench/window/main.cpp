// shardlens-window-bench: measures the window on a recording of millions of events, or on a run of
// many ranks, with all panels open. Times are processor times of the window's thread, because other
// programs may use the machine too. The time of the first window is that of the whole process.

#include "app/bench/journal_case.h"
#include "app/bench/process_memory.h"
#include "app/bench/run_case.h"
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

#include <QAbstractScrollArea>
#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QCommandLineParser>
#include <QDialog>
#include <QDockWidget>
#include <QLabel>
#include <QLineEdit>
#include <QMap>
#include <QProcess>
#include <QProgressBar>
#include <QTest>
#include <ctime>
#include <filesystem>
#include <functional>
#include <random>

namespace shardlens {
namespace {

constexpr int kFailed = 1;
constexpr int kUnreadable = 2;
constexpr int kPlaces = 300;  // positions that a move() visits
constexpr int kFrame = 16;    // ms
constexpr int kBlock = 50;    // ms; longest allowed block of the event loop

const std::vector<RankRange> kAllSteps;

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
      window_.openPath(path, std::nullopt, kAllSteps);
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
    scrub(*canvas);
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

  // Moves the cursor to positions given by `next`.
  void move(const std::string& name, const std::function<EventId(int place)>& next,
            double goal = kFrame) {
    measureMoves(name, goal, [&](int place) {
      const EventId position = next(place);
      if (position == window_.cursor().position()) return false;
      window_.cursor().moveTo(position);
      return true;
    });
  }

  // Calls `act` for each place. Prints the processor time until the window has redrawn, of the
  // calls that return true because they have moved the cursor, and the longest block.
  void measureMoves(const std::string& name, double goal, const std::function<bool(int)>& act) {
    Samples worked;
    watch_.restart();
    for (int place = 0; place < kPlaces; ++place) {
      idle();
      const double before = EventLoopWatch::work();
      if (!act(place)) continue;
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

  // Measures a drag across all of the Timeline, over the whole recording.
  void scrub(QWidget& canvas) {
    const auto viewport = static_cast<QAbstractScrollArea&>(canvas).viewport();
    const int left = 90, right = viewport->width() - 12;
    const auto at = [&](int place) {
      return QPoint(left + (right - left) * place / kPlaces, viewport->height() / 2);
    };
    QTest::mousePress(viewport, Qt::LeftButton, {}, at(0));
    measureMoves("scrubbing in the Timeline", kFrame, [&](int place) {
      const EventId before = window_.cursor().position();
      QTest::mouseMove(viewport, at(place));
      return window_.cursor().position() != before || window_.cursor().waits();
    });
    QTest::mouseRelease(viewport, Qt::LeftButton, {}, at(kPlaces));
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
  window.openPath(path, std::nullopt, kAllSteps);
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

// The parameters of a recording to write. With more than 0 ranks, a run with a recording per rank.
struct Written {
  EventId events;
  int ranks;
  RunCase::Fault fault;
};

// Writes a recording to `path`. Returns the number of events.
Result<std::int64_t> write(const Written& of, const std::filesystem::path& path) {
  if (of.ranks == 0) return recordJournal({.name = "a training loop on 8 ranks"}, of.events, path);
  std::filesystem::create_directories(path);
  RunCase run = runOf(of.ranks, of.events);
  run.fault = of.fault;
  run.faulty = of.ranks / 2 + 1;
  return recordRun(run, path);
}

int report(const Error& error) {
  fmt::print(stderr, "shardlens-window-bench: {}\n", error.message);
  return kFailed;
}

// Writes a recording and measures it in a new process, whose memory the writing has not grown.
int measureInProcess(const Written& of) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "run.shardlens";
  const auto recorded = write(of, path);
  if (!recorded) return report(recorded.error());
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
  parser.setApplicationDescription(
      QStringLiteral("Measures the window on a large recording, or on a run of many ranks."));
  parser.addHelpOption();
  parser.addPositionalArgument(QStringLiteral("PATH"),
                               QStringLiteral("Recording or run to measure; by default, one is "
                                              "written to a temporary folder."),
                               QStringLiteral("[PATH]"));
  const QCommandLineOption events(QStringLiteral("events"),
                                  QStringLiteral("Write N events; 10M by default, of a run 5M."),
                                  QStringLiteral("N"));
  const QCommandLineOption ranks(QStringLiteral("ranks"),
                                 QStringLiteral("Write a run of N ranks, a recording per rank."),
                                 QStringLiteral("N"), QStringLiteral("0"));
  const QCommandLineOption fault(QStringLiteral("fault"),
                                 QStringLiteral("Of rank N/2+1: straggler, hang or divergence."),
                                 QStringLiteral("FAULT"));
  const QCommandLineOption keep(
      QStringLiteral("write"),
      QStringLiteral("Write the recording or run to PATH; measure nothing."),
      QStringLiteral("PATH"));
  const QCommandLineOption first(QStringLiteral("first-picture"),
                                 QStringLiteral("Measure only the first picture of PATH."));
  parser.addOptions({events, ranks, fault, keep, first});
  parser.process(application);
  const auto paths = parser.positionalArguments();
  if (parser.isSet(first) && !paths.isEmpty()) return measureFirstPicture(paths.front());
  if (!paths.isEmpty()) return measure(paths.front());
  using Fault = RunCase::Fault;
  const QMap<QString, Fault> faults{{QString(), Fault::None},
                                    {QStringLiteral("straggler"), Fault::Straggler},
                                    {QStringLiteral("hang"), Fault::Hang},
                                    {QStringLiteral("divergence"), Fault::Divergence}};
  if (!faults.contains(parser.value(fault))) parser.showHelp(kUnreadable);
  Written of{.events = parser.value(events).toUInt(),
             .ranks = parser.value(ranks).toInt(),
             .fault = faults[parser.value(fault)]};
  if (!parser.isSet(events)) of.events = of.ranks > 0 ? 5'000'000 : 10'000'000;
  if (!parser.isSet(keep)) return measureInProcess(of);
  const auto written = write(of, parser.value(keep).toStdString());
  return written ? 0 : report(written.error());
}

}  // namespace
}  // namespace shardlens

int main(int argc, char** argv) {
  qputenv("QT_QPA_PLATFORM", "offscreen");
  QApplication application(argc, argv);
  return shardlens::run(application);
}
