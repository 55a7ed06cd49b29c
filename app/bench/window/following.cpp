// shardlens-follow-bench: measures following a run of 64 ranks that another process writes: the
// memory, and how long the event loop is blocked at a time. Blocks are measured in processor time
// of the thread too, and beside those of a window without a document, because other programs may
// use the machine.

#include "app/bench/process_memory.h"
#include "app/bench/run_case.h"
#include "app/bench/temporary_folder.h"
#include "app/bench/window/event_loop_watch.h"
#include "core/trace/merge/trace_reader.h"
#include "ui/bridge/document.h"
#include "ui/panels/timeline_panel.h"
#include "ui/shell/main_window.h"
#include "ui/widgets/timeline_canvas.h"

#include <fmt/core.h>

#include <QApplication>
#include <QCommandLineParser>
#include <QDockWidget>
#include <QProcess>
#include <QTest>
#include <algorithm>
#include <chrono>
#include <thread>

namespace shardlens {
namespace {

constexpr RunCase kRun{.ranks = 64, .tensorParallel = 4};
constexpr int kStepsPerSecond = 2;
constexpr int kReports = 10;
constexpr int kPoll = 120;  // milliseconds, as in the window

// Writes the recordings of the ranks into the folder for so many seconds.
int writeRun(const QString& folder, int seconds) {
  RunCase run = kRun;
  run.steps = seconds * kStepsPerSecond;
  const auto begin = std::chrono::steady_clock::now();
  const auto pace = [&](int step) {
    std::this_thread::sleep_until(begin + std::chrono::milliseconds(1000) * step / kStepsPerSecond);
  };
  return recordLiveRun(run, folder.toStdString(), pace) ? 0 : 1;
}

void report(const char* name, const EventLoopWatch& watch, EventId events) {
  fmt::print("  {:<10} {:>8} events {:>7.1f} MiB, longest block {:>7.1f} ms, work {:>6.1f} ms\n",
             name, events, residentMiB(), watch.longest(), watch.longestWork());
  std::fflush(stdout);
}

// What follows the run: a window with all panels open and the Timeline in front, or a reader alone.
class Follower {
 public:
  virtual ~Follower() = default;
  virtual bool open(const QString& folder) = 0;
  virtual EventId events() const = 0;
  virtual bool mayGrow() = 0;
  virtual bool isIdle() = 0;  // has read all events into all parts
};

class FollowingWindow final : public Follower {
 public:
  bool open(const QString& folder) override {
    window_.resize(1440, 900);
    window_.show();
    window_.openPath(folder);
    while (!QTest::qWaitFor([&] { return !window_.isOpening(); }, 1000)) continue;
    const auto* timeline = window_.findChild<QWidget*>(QStringLiteral("timelineCanvas"));
    const auto docks = window_.findChildren<QDockWidget*>();
    for (QDockWidget* dock : docks) dock->show();
    for (QDockWidget* dock : docks) {
      if (dock->isAncestorOf(timeline)) dock->raise();
    }
    return window_.document() != nullptr;
  }
  EventId events() const override { return window_.document()->journal().size(); }
  bool mayGrow() override { return window_.document()->mayGrow(); }
  bool isIdle() override {
    const auto* timeline = window_.findChild<TimelinePanel*>();
    const auto* canvas = timeline->findChild<TimelineCanvas*>();
    return !window_.problems().isSearching() && timeline->isComplete() && !canvas->isReading();
  }

 private:
  MainWindow window_{MainWindow::Memory::Forgets};
};

class FollowingReader final : public Follower {
 public:
  bool open(const QString& folder) override {
    auto opened = TraceReader::open(folder.toStdString());
    if (!opened) return false;
    reader_ = std::move(*opened);
    QObject::connect(&poll_, &QTimer::timeout, &poll_, [this] {
      const auto more = reader_->refresh();
      poll_.start(more && *more ? 0 : kPoll);
    });
    poll_.start(0);
    return true;
  }
  EventId events() const override { return reader_->journal().size(); }
  bool mayGrow() override { return reader_->mayGrow(); }
  bool isIdle() override { return true; }

 private:
  std::unique_ptr<TraceReader> reader_;
  QTimer poll_;
};

std::unique_ptr<Follower> follower(bool isReader) {
  if (isReader) return std::make_unique<FollowingReader>();
  return std::make_unique<FollowingWindow>();
}

// Opens the recordings of a run that has ended, in a process of its own.
int measureOpened(const QString& folder, bool isReader) {
  EventLoopWatch watch;
  const auto opened = follower(isReader);
  if (!opened->open(folder)) return 1;
  QTest::qWait(1000);
  while (!QTest::qWaitFor([&] { return opened->isIdle(); }, 1000)) continue;
  report("opened", watch, opened->events());
  return 0;
}

int runChild(QProcess& child, const QStringList& arguments) {
  child.setProcessChannelMode(QProcess::ForwardedChannels);
  child.start(QCoreApplication::applicationFilePath(), arguments);
  return child.waitForStarted() ? 0 : 1;
}

int measureFollowing(int seconds, bool isReader) {
  const TemporaryFolder folder;
  const QString path = QString::fromStdString(folder.path().string());
  const int pause = std::max(1, seconds / kReports) * 1000;
  EventLoopWatch watch;
  {
    MainWindow idle(MainWindow::Memory::Forgets);
    idle.show();
    QTest::qWait(1000);
    watch.restart();
    QTest::qWait(pause);
    report("idle", watch, 0);
  }
  QProcess writer;
  if (runChild(writer, {QStringLiteral("--write"), path, QString::number(seconds)}) != 0) return 1;
  const auto last = folder.path() / fmt::format("rank-{}.shardlens", kRun.ranks - 1);
  while (!std::filesystem::exists(last)) QTest::qWait(kPoll);
  const auto following = follower(isReader);
  if (!following->open(path)) return 1;
  report("opened", watch, following->events());
  while (following->mayGrow()) {
    watch.restart();
    std::ignore = QTest::qWaitFor([&] { return !following->mayGrow(); }, pause);
    report("following", watch, following->events());
  }
  writer.waitForFinished(-1);
  QProcess opened;
  QStringList arguments{QStringLiteral("--opened"), path};
  if (isReader) arguments << QStringLiteral("--reader");
  if (runChild(opened, arguments) != 0) return 1;
  opened.waitForFinished(-1);
  return opened.exitCode();
}

int run(const QCoreApplication& application) {
  QCommandLineParser parser;
  parser.setApplicationDescription(
      QStringLiteral("Measures following a growing run of 64 ranks for SECONDS."));
  parser.addHelpOption();
  parser.addPositionalArgument(QStringLiteral("SECONDS"), QStringLiteral("10 by default"),
                               QStringLiteral("[SECONDS]"));
  const QCommandLineOption reader(QStringLiteral("reader"),
                                  QStringLiteral("Follow with a reader, without a window."));
  QCommandLineOption write(QStringLiteral("write"), {}, QStringLiteral("FOLDER"));
  QCommandLineOption opened(QStringLiteral("opened"), {}, QStringLiteral("FOLDER"));
  for (auto* ofChild : {&write, &opened}) ofChild->setFlags(QCommandLineOption::HiddenFromHelp);
  parser.addOptions({reader, write, opened});
  parser.process(application);
  const QStringList arguments = parser.positionalArguments();
  const int seconds = arguments.isEmpty() ? 10 : arguments.front().toInt();
  if (parser.isSet(write)) return writeRun(parser.value(write), seconds);
  if (parser.isSet(opened)) return measureOpened(parser.value(opened), parser.isSet(reader));
  return measureFollowing(seconds, parser.isSet(reader));
}

}  // namespace
}  // namespace shardlens

int main(int argc, char** argv) {
  qputenv("QT_QPA_PLATFORM", "offscreen");
  QApplication application(argc, argv);
  return shardlens::run(application);
}
