#include "tests/ui/support/window.h"

#include "core/trace/file/trace_writer.h"
#include "core/trace/journal/tensor_ranks.h"
#include "core/trace/merge/trace_reader.h"
#include "tests/ui/support/lookup_run.h"
#include "ui/panels/steps_panel.h"

#include <gmock/gmock.h>

#include <QAction>
#include <QDir>
#include <QDockWidget>
#include <QFile>
#include <QMimeData>
#include <QSemaphore>
#include <QSignalSpy>
#include <QThreadPool>

namespace shardlens {
namespace {

struct OnRecording : Window {
  OnRecording() {
    writeLookup(path("run.shardlens"));
    opened = open(path("run.shardlens")) && shows(QStringLiteral("event 25 of 25"));
    window.cursor().toStart();
    opened = opened && shows(QStringLiteral("event 0 of 25"));
  }
  bool opened = false;
};

EventId endOfStep(const Journal& journal, int step) {
  EventId last = 0;
  for (EventId id = 1; id <= journal.size(); ++id) {
    if (journal.at(id).step == step) {
      last = id;
    }
  }
  return last;
}

// A recording of these events, one after another.
void writeEvents(const QString& path, const std::vector<EventKind>& kinds) {
  const auto writer = TraceWriter::create(path.toStdString()).value();
  Recorder recorder;
  recorder.addSink(*writer);
  recorder.meta("mesh", "2:tp");
  for (const EventKind kind : kinds) {
    Event event;
    event.kind = kind;
    event.name = recorder.intern("what happened");
    recorder.note(event);
  }
  EXPECT_TRUE(writer->close());
}

TEST(MainWindow, WhatIsOpenedHasTheKeyboardInItsSteps) {
  Window on;
  writeLookup(on.path("run.shardlens"));
  on.window.activateWindow();
  ASSERT_TRUE(QTest::qWaitForWindowActive(&on.window));
  ASSERT_TRUE(on.open(on.path("run.shardlens")));
  ASSERT_TRUE(on.shows(QStringLiteral("event 25 of 25")));
  EXPECT_TRUE(on.find<QWidget>("stepsView")->hasFocus());
}

TEST(Window, OpensARecordingAtItsEnd) {
  OnRecording on;
  EXPECT_TRUE(on.opened);
}

TEST(Window, WelcomesWithTheGalleryAndOpensOfIt) {
  Window on;
  auto* lookup = on.find<QAbstractButton>("gallery 01-vocabulary-parallel-embedding");
  auto* deadlock = on.find<QAbstractButton>("gallery 18-a-deadlock");
  ASSERT_NE(lookup, nullptr);
  ASSERT_NE(deadlock, nullptr);
  EXPECT_EQ(lookup->accessibleDescription(), QStringLiteral("mesh 4 · 7 steps"));
  EXPECT_EQ(deadlock->text(), QStringLiteral("A deadlock: PyTorch 2.15 with two pending lookups"));
  EXPECT_EQ(deadlock->accessibleDescription(), QStringLiteral("a recording of 4 ranks"));
  deadlock->click();
  EXPECT_TRUE(on.shows(QStringLiteral("event 2 of 2"))) << qPrintable(on.position());
}

// Steps 0 and 2 have one.
TEST(Window, GoesFromNoteToNoteAndShowsIt) {
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
  EXPECT_EQ(on.message(), QStringLiteral("There is no other note that way."));
  EXPECT_TRUE(on.shows(QStringLiteral("event %1 of 25").arg(second)));
  on.press(Qt::Key_N, Qt::ShiftModifier);
  EXPECT_EQ(cursor.position(), first);
  EXPECT_EQ(on.message(), QString());
}

TEST(Window, OpensARecordingAtItsFirstError) {
  Window on;
  using enum EventKind;
  writeEvents(on.path("failed.shardlens"), {Step, Error, Step, Error, Step});
  ASSERT_TRUE(on.open(on.path("failed.shardlens")));
  EXPECT_TRUE(on.shows(QStringLiteral("event 2 of 5"))) << qPrintable(on.position());
}

TEST(Window, OpensACheckedRecordingAtTheFirstResultThatDiffers) {
  Window on;
  {
    const auto writer = TraceWriter::create(on.path("checked.shardlens").toStdString()).value();
    Recorder recorder;
    recorder.addSink(*writer);
    for (const Verdict verdict : {Verdict::Same, Verdict::Differs, Verdict::Differs}) {
      Event event;
      event.kind = EventKind::Check;
      event.verdict = verdict;
      recorder.note(event);
    }
    ASSERT_TRUE(writer->close());
    recorder.removeSinks();
  }
  ASSERT_TRUE(on.open(on.path("checked.shardlens")));
  EXPECT_TRUE(on.shows(QStringLiteral("event 2 of 3"))) << qPrintable(on.position());
}

TEST(Window, NamesTheFileAndWhatItIs) {
  OnRecording on;
  EXPECT_EQ(
      on.window.windowTitle(),
      QStringLiteral("run.shardlens (recording) — vocabulary-parallel embedding — Shardlens[*]"));
  writeEvents(on.path("plain.shardlens"), {EventKind::Step});
  ASSERT_TRUE(on.open(on.path("plain.shardlens")));
  EXPECT_EQ(on.window.windowTitle(), QStringLiteral("plain.shardlens (recording) — Shardlens[*]"));
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

// As in debuggers: F10 is over, F11 into, with Shift back over and out.
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

TEST(Window, JumpsToAClickedEvent) {
  OnRecording on;
  auto* view = on.find<QAbstractItemView>("stepsView");
  auto* steps = on.find<StepsPanel>("stepsPanel");
  const QRect row = view->visualRect(steps->model().indexOf(7));
  QTest::mouseClick(view->viewport(), Qt::LeftButton, {}, row.center());
  EXPECT_TRUE(on.shows(QStringLiteral("event 7 of 25")));
}

TEST(Window, GoesToTheEndOfAClickedLine) {
  OnRecording on;
  auto* view = on.find<QAbstractItemView>("programView");
  const QRect row = view->visualRect(view->model()->index(1, 0));
  QTest::mouseClick(view->viewport(), Qt::LeftButton, {}, row.center());
  EXPECT_TRUE(on.shows(QStringLiteral("event 4 of 25")));
}

// Two processes write one step after another; the window shows what both have.
struct OnProcesses : Window {
  OnProcesses() {
    for (const int rank : {0, 1}) {
      const QString name = path(rank == 0 ? "rank-0.shardlens" : "rank-1.shardlens");
      writers.push_back(TraceWriter::create(name.toStdString()).value());
      recorders.push_back(std::make_unique<Recorder>());
      recorders.back()->addSink(*writers.back());
      recorders.back()->meta("mesh", "2:tp");
      recorders.back()->meta("hosted", std::to_string(rank));
      note(rank);
    }
  }
  void note(std::size_t process) {
    Event event;
    event.name = recorders[process]->intern("a step");
    recorders[process]->note(event);
    EXPECT_TRUE(writers[process]->flush());
  }
  std::vector<std::unique_ptr<TraceWriter>> writers;
  std::vector<std::unique_ptr<Recorder>> recorders;
};

TEST(Window, FollowsTheRecordingsOfProcesses) {
  OnProcesses on;
  ASSERT_TRUE(on.open(on.folder.path()));
  EXPECT_THAT(hostedRanks(on.window.cursor().journal()), testing::ElementsAre(0, 1));
  on.click("endButton");
  EXPECT_TRUE(on.shows(QStringLiteral("event 1, live …"))) << qPrintable(on.position());
  on.note(0);
  on.note(1);
  EXPECT_TRUE(on.shows(QStringLiteral("event 2, live …"))) << qPrintable(on.position());
  on.note(1);  // process 0 does not come: it is shown without it
  EXPECT_TRUE(on.shows(QStringLiteral("event 3, live …"))) << qPrintable(on.position());
  EXPECT_THAT(absentRanks(on.window.cursor().journal(), 3), testing::ElementsAre(0));
  on.note(0);
  EXPECT_TRUE(
      QTest::qWaitFor([&] { return absentRanks(on.window.cursor().journal(), 3).empty(); }, 10000));
  for (const auto& writer : on.writers) {
    EXPECT_TRUE(writer->close());
  }
  EXPECT_TRUE(on.shows(QStringLiteral("event 3 of 3"))) << qPrintable(on.position());
  EXPECT_TRUE(on.message().isEmpty()) << qPrintable(on.message());
}

// Counts the looks that are taken into recordings that grow.
struct Looks : QSignalSpy {
  explicit Looks(Window& on)
      : QSignalSpy(on.window.document()->findChild<QTimer*>(QString(), Qt::FindDirectChildrenOnly),
                   &QTimer::timeout) {}
  bool reach(int looks) {
    return QTest::qWaitFor([&] { return count() >= looks; }, 60000);
  }
};

TEST(Window, WaitsForAProcessThatIsBehind) {
  OnProcesses on;
  ASSERT_TRUE(on.open(on.folder.path()));
  const Journal& journal = on.window.cursor().journal();
  ASSERT_EQ(journal.size(), 1U);
  Looks looks(on);
  ASSERT_TRUE(looks.reach(10));  // nobody did anything
  on.note(1);
  ASSERT_TRUE(looks.reach(15));
  EXPECT_EQ(journal.size(), 1U);
  on.note(0);
  EXPECT_TRUE(QTest::qWaitFor([&] { return journal.size() == 2; }, 10000));
  EXPECT_TRUE(absentRanks(journal, 2).empty());
  EXPECT_EQ(&on.window.cursor().journal(), &journal);  // nothing was opened anew
}

TEST(Window, WaitsLongerForAProcessThatWentOnAfterAll) {
  OnProcesses on;
  ASSERT_TRUE(on.open(on.folder.path()));
  const auto shows = [&](EventId size, std::vector<int> absent) {
    const auto& journal = on.window.cursor().journal();
    return journal.size() == size && absentRanks(journal, size) == absent;
  };
  on.note(1);
  ASSERT_TRUE(QTest::qWaitFor([&] { return shows(2, {0}); }, 10000));
  on.note(0);
  ASSERT_TRUE(QTest::qWaitFor([&] { return shows(2, {}); }, 10000));
  Looks looks(on);
  on.note(1);
  ASSERT_TRUE(looks.reach(12));
  EXPECT_TRUE(shows(2, {}));
  EXPECT_TRUE(QTest::qWaitFor([&] { return shows(3, {0}); }, 10000));
}

// What one of two processes records, three steps.
void writeProcess(const QString& path, const char* rank) {
  const auto writer = TraceWriter::create(path.toStdString()).value();
  Recorder recorder;
  recorder.addSink(*writer);
  recorder.meta("mesh", "2:tp");
  recorder.meta("hosted", rank);
  for (int i = 0; i < 3; ++i) {
    recorder.note(Event{});
  }
  EXPECT_TRUE(writer->close());
}

// The folder is opened anew for it.
TEST(Window, KeepsItsPlaceWhenAProcessJoins) {
  Window on;
  writeProcess(on.path("rank-0.shardlens"), "0");
  ASSERT_TRUE(on.open(on.folder.path()));
  on.window.cursor().moveTo(2);
  ASSERT_TRUE(on.shows(QStringLiteral("event 2 of 3"))) << qPrintable(on.position());
  const auto ranks = [&] { return hostedRanks(on.window.cursor().journal()); };
  EXPECT_THAT(ranks(), testing::ElementsAre(0));
  writeProcess(on.path("rank-1.shardlens"), "1");
  EXPECT_TRUE(QTest::qWaitFor([&] { return ranks() == std::vector{0, 1}; }, 10000));
  EXPECT_EQ(&on.window.cursor().journal(), &on.window.document()->journal());
  EXPECT_TRUE(on.shows(QStringLiteral("event 2 of 3"))) << qPrintable(on.position());
  on.window.grab();
}

TEST(Window, TakesInWhatHasGrownMuchBeforeItSaysThatItIsOver) {
  constexpr EventId kMany = 300'000;
  Window on;
  const auto writer = TraceWriter::create(on.path("run.shardlens").toStdString()).value();
  Recorder recorder;
  recorder.addSink(*writer);
  recorder.note(Event{});
  ASSERT_TRUE(writer->flush());
  ASSERT_TRUE(on.open(on.path("run.shardlens")));
  const Document* document = on.window.document();
  const QSignalSpy grew(document, &Document::grew);
  const auto* steps = &on.find<StepsPanel>("stepsPanel")->model();
  const QSignalSpy made(steps, &QAbstractItemModel::modelReset);
  std::vector<EventId> over;
  QObject::connect(document, &Document::stateChanged, &on.window,
                   [&] { over.push_back(document->journal().size()); });
  while (recorder.note(Event{}) < kMany) {
  }
  ASSERT_TRUE(writer->close());
  on.click("endButton");
  EXPECT_TRUE(on.shows(QStringLiteral("event 300000 of 300000"))) << qPrintable(on.position());
  EXPECT_GT(grew.count(), 4);
  EXPECT_EQ(made.count(), 0);
  EXPECT_THAT(over, testing::ElementsAre(kMany));
}

TEST(Window, OffersTheOtherProcessesOfARecording) {
  OnProcesses on;
  ASSERT_TRUE(on.open(on.path("rank-1.shardlens")));
  EXPECT_THAT(hostedRanks(on.window.cursor().journal()), testing::ElementsAre(1));
  on.click("messageAction");
  EXPECT_TRUE(on.window.isOpening());
  EXPECT_EQ(on.window.document()->path(), on.path("rank-1.shardlens"));
  EXPECT_TRUE(
      QTest::qWaitFor([&] { return on.window.document()->path() == on.folder.path(); }, 10000));
  EXPECT_THAT(hostedRanks(on.window.cursor().journal()), testing::ElementsAre(0, 1));
  EXPECT_TRUE(on.message().isEmpty()) << qPrintable(on.message());
}

TEST(Window, WhoDoesNotWaitForARecordingKeepsWhatIsOpen) {
  OnRecording on;
  QFile::copy(on.path("run.shardlens"), on.path("other.shardlens"));
  EXPECT_TRUE(on.window.openPath(on.path("other.shardlens")));
  EXPECT_TRUE(on.window.openPath(on.path("run.shardlens")));
  EXPECT_TRUE(QTest::qWaitFor([&] { return !on.window.isOpening(); }));
  EXPECT_EQ(on.window.document()->path(), on.path("run.shardlens"));
}

// The threads that open recordings, held up until somebody says so.
class HeldUp {
 public:
  HeldUp() {
    for (int i = 0; i < pool_.maxThreadCount(); ++i) {
      pool_.start([this] { go_.acquire(); });
    }
  }
  ~HeldUp() { letGo(); }
  void letGo() {
    go_.release(pool_.maxThreadCount());
    pool_.waitForDone();
  }

 private:
  QThreadPool& pool_ = *QThreadPool::globalInstance();
  QSemaphore go_;
};

// Before the recording is read, and when it is read but the event loop does not know it yet.
TEST(Window, WhatIsCancelledNeverAppears) {
  for (const bool isRead : {false, true}) {
    OnRecording on;
    QFile::copy(on.path("run.shardlens"), on.path("other.shardlens"));
    on.window.cursor().moveTo(7);
    ASSERT_TRUE(on.shows(QStringLiteral("event 7 of 25")));
    HeldUp opening;
    ASSERT_TRUE(on.window.openPath(on.path("other.shardlens")));
    ASSERT_TRUE(QTest::qWaitFor([&] {
      Q_EMIT on.window.opening()->openingProgressed(40);
      return on.message() == QStringLiteral("Opening other.shardlens: 40 %");
    }));
    if (isRead) {
      opening.letGo();
    }
    on.find<QPushButton>("messageAction")->click();
    EXPECT_FALSE(on.window.isOpening());
    EXPECT_TRUE(on.message().isEmpty()) << qPrintable(on.message());
    if (!isRead) {
      opening.letGo();
    }
    QCoreApplication::processEvents();
    EXPECT_EQ(on.window.document()->path(), on.path("run.shardlens"));
    EXPECT_EQ(on.position(), QStringLiteral("event 7 of 25"));
    EXPECT_TRUE(on.message().isEmpty()) << qPrintable(on.message());
    EXPECT_FALSE(on.find<QWidget>("busy")->isVisible());
  }
}

TEST(Window, AMissingFileLeavesWhatIsOpen) {
  OnRecording on;
  EXPECT_FALSE(on.window.openPath(on.path("none.shardlens")));
  EXPECT_TRUE(on.message().contains(QStringLiteral("no such file")));
  on.click("stepButton");
  EXPECT_TRUE(on.shows(QStringLiteral("event 1 of 25")));
  on.click("messageClose");
  EXPECT_FALSE(on.window.messages().isVisible());
}

TEST(Window, ADamagedRecordingIsNamed) {
  Window on;
  QFile file(on.path("bad.shardlens"));
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  file.write("this is no recording");
  file.close();
  EXPECT_FALSE(on.open(file.fileName()));
  EXPECT_TRUE(on.message().contains(QStringLiteral("bad.shardlens"))) << qPrintable(on.message());
  EXPECT_TRUE(on.window.messages().isVisible());
  EXPECT_TRUE(on.find<QWidget>("welcomePage")->isVisible());
}

TEST(Window, ClosesToTheWelcomePageAndOpensAgain) {
  OnRecording on;
  on.click("endButton");
  ASSERT_TRUE(on.shows(QStringLiteral("event 25 of 25")));
  on.window.closeDocument();
  EXPECT_TRUE(on.find<QWidget>("welcomePage")->isVisible());
  EXPECT_FALSE(on.find<QDockWidget>("stepsPanelDock")->isVisible());
  EXPECT_TRUE(on.open(on.path("run.shardlens")));
  EXPECT_TRUE(on.shows(QStringLiteral("event 25 of 25")));
  EXPECT_TRUE(on.find<QDockWidget>("stepsPanelDock")->isVisible());
}

TEST(Window, PutsAHiddenPanelBack) {
  OnRecording on;
  auto* dock = on.find<QDockWidget>("cachesPanelDock");
  dock->close();
  EXPECT_FALSE(dock->isVisible());
  on.window.resetLayout();
  EXPECT_TRUE(dock->isVisible());
}

TEST(Window, HasADarkLook) {
  OnRecording on;
  on.press(Qt::Key_D, Qt::ControlModifier);
  EXPECT_TRUE(theme().dark());
  on.press(Qt::Key_D, Qt::ControlModifier);
  EXPECT_FALSE(theme().dark());
}

TEST(Window, TheLegendComesAndGoesByItsKeyWhileTheOthersWork) {
  OnRecording on;
  on.press(Qt::Key_F1);
  auto* legend = on.find<QWidget>("legend");
  EXPECT_TRUE(legend->isVisible());
  EXPECT_FALSE(legend->grab().isNull());
  ASSERT_TRUE(QTest::qWaitForWindowActive(legend));
  QTest::keyClick(legend, Qt::Key_Right);
  EXPECT_TRUE(on.shows(QStringLiteral("event 1 of 25")));
  EXPECT_TRUE(legend->isVisible());
  QTest::keyClick(legend, Qt::Key_Escape);
  EXPECT_FALSE(legend->isVisible());
  on.find<QAction>("legend")->trigger();
  ASSERT_TRUE(QTest::qWaitForWindowActive(legend));
  QTest::keyClick(legend, Qt::Key_F1);
  EXPECT_FALSE(legend->isVisible());
}

TEST(Window, ThereIsOneSheetOfItsKeys) {
  OnRecording on;
  on.press(Qt::Key_Question);
  auto* sheet = on.find<QWidget>("shortcutSheet");
  EXPECT_TRUE(sheet->isVisible());
  ASSERT_TRUE(QTest::qWaitForWindowActive(sheet));
  QTest::keyClick(sheet, Qt::Key_Question);
  EXPECT_FALSE(sheet->isVisible());
  EXPECT_EQ(on.window.findChildren<QWidget*>(QStringLiteral("shortcutSheet")).size(), 1);
}

TEST(Window, ARefusedStepIsSaidWithAWayToIt) {
  Window on;
  {
    const auto writer = TraceWriter::create(on.path("failed.shardlens").toStdString()).value();
    Recorder recorder;
    recorder.addSink(*writer);
    recorder.meta("mesh", "2:tp");
    recorder.meta("scenario", R"({"steps": [{"id": "x", "call": "tensor", "shape": [4]},
                                            {"id": "y", "call": "redistribute", "args": ["$x"]}]})");
    const auto note = [&](EventKind kind, const char* name, int step) {
      Event event;
      event.kind = kind;
      event.name = recorder.intern(name);
      recorder.setStep(step, /*line=*/5 + step);
      recorder.note(event);
    };
    note(EventKind::Step, "x = tensor([4])", 0);
    note(EventKind::Step, "y = redistribute(x)", 1);
    note(EventKind::Error, "MaskBuffer has been materialized: conflict", 1);
    EXPECT_TRUE(writer->close());
  }
  ASSERT_TRUE(on.open(on.path("failed.shardlens")));
  EXPECT_EQ(on.message(), QStringLiteral("Step 2, y = redistribute(x): MaskBuffer has been "
                                         "materialized: conflict"));
  ASSERT_TRUE(on.shows(QStringLiteral("event 3 of 3")));
  on.press(Qt::Key_Home);
  EXPECT_TRUE(on.shows(QStringLiteral("event 0 of 3")));
  on.click("messageAction");
  EXPECT_TRUE(on.shows(QStringLiteral("event 3 of 3")));
  EXPECT_FALSE(on.window.messages().isVisible());
}

TEST(Window, AProcessThatDiedIsNamed) {
  OnProcesses on;
  // As a killed process leaves it: nobody writes to the copy, and nobody closed it.
  ASSERT_TRUE(QDir(on.folder.path()).mkdir(QStringLiteral("dead")));
  for (const char* name : {"/rank-1.shardlens", "/rank-1.shardlens-wal"}) {
    const QString file = QLatin1String(name);
    ASSERT_TRUE(QFile::copy(on.folder.path() + file, on.path("dead") + file));
  }
  EXPECT_TRUE(on.writers[0]->close());
  ASSERT_TRUE(QFile::copy(on.path("rank-0.shardlens"), on.path("dead/rank-0.shardlens")));
  ASSERT_TRUE(on.open(on.path("dead")));
  EXPECT_EQ(on.message(),
            QStringLiteral("Rank 1 died: its process ended without closing its recording."));
  EXPECT_EQ(on.window.problems().errors(), 1);
  EXPECT_EQ(on.window.problems().problems()->front().sentence, on.message().toStdString());
}

TEST(Window, AMessageDoesNotWipeAnOffer) {
  OnProcesses on;
  ASSERT_TRUE(on.open(on.path("rank-1.shardlens")));
  EXPECT_TRUE(on.find<QPushButton>("messageAction")->isVisible());
  EXPECT_FALSE(on.window.openPath(on.path("none.shardlens")));
  EXPECT_TRUE(on.message().contains(QStringLiteral("no such file")));
  EXPECT_FALSE(on.find<QPushButton>("messageAction")->isVisible());
  on.click("messageClose");
  on.click("messageAction");
  EXPECT_TRUE(
      QTest::qWaitFor([&] { return on.window.document()->path() == on.folder.path(); }, 10000));
}

TEST(Window, OpensAFolderWithoutItsDamagedFile) {
  OnProcesses on;
  QFile file(on.path("rank-2.shardlens"));
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  file.write("this is no recording");
  file.close();
  ASSERT_TRUE(on.open(on.folder.path()));
  EXPECT_TRUE(on.message().startsWith(QStringLiteral("Opened without what is damaged: ")));
  EXPECT_TRUE(on.message().contains(QStringLiteral("rank-2.shardlens")))
      << qPrintable(on.message());
  EXPECT_THAT(hostedRanks(on.window.cursor().journal()), testing::ElementsAre(0, 1));
}

TEST(Window, TakesBackThatAFileIsLeftOut) {
  Window on;
  writeProcess(on.path("rank-0.shardlens"), "0");
  QFile file(on.path("rank-1.shardlens"));
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  file.write("the beginning of a copy");
  file.close();
  ASSERT_TRUE(on.open(on.folder.path()));
  ASSERT_TRUE(on.message().contains(QStringLiteral("rank-1.shardlens")));
  ASSERT_TRUE(file.remove());
  writeProcess(on.path("rank-1.shardlens"), "1");
  const auto isWhole = [&] {
    return hostedRanks(on.window.cursor().journal()) == std::vector{0, 1};
  };
  EXPECT_TRUE(QTest::qWaitFor(isWhole, 10000));
  EXPECT_EQ(on.message(), QString()) << qPrintable(on.message());
}

TEST(Window, SavesACopyOfARecording) {
  OnRecording on;
  EXPECT_TRUE(on.window.saveRecording(on.path("kept.shardlens")));
  EXPECT_TRUE(on.message().contains(QStringLiteral("kept.shardlens")));
  const auto kept = TraceReader::open(on.path("kept.shardlens").toStdString());
  ASSERT_TRUE(kept);
  EXPECT_EQ((*kept)->journal().size(), 25U);
  EXPECT_FALSE(on.window.saveRecording(on.path("no/such/folder.shardlens")));
  EXPECT_TRUE(on.message().contains(QStringLiteral("does not exist"))) << qPrintable(on.message());
}

TEST(Window, EveryControlHasAnAccessibleName) {
  OnRecording on;
  on.click("endButton");
  ASSERT_TRUE(on.shows(QStringLiteral("event 25 of 25")));
  for (const QWidget* widget : on.window.findChildren<QWidget*>()) {
    const bool control = widget->inherits("QAbstractButton") || widget->inherits("QComboBox") ||
                         widget->inherits("QAbstractItemView") || widget->inherits("QChartView");
    const bool ours = !widget->objectName().startsWith(QStringLiteral("qt_")) &&
                      !widget->inherits("QComboBoxListView") && !widget->inherits("QHeaderView") &&
                      !widget->inherits("QTableCornerButton") &&
                      !widget->inherits("QMenuBarExtension");
    if (control && ours) {
      const bool named =
          !widget->accessibleName().isEmpty() || widget->parentWidget()->inherits("QTableView");
      EXPECT_TRUE(named) << widget->metaObject()->className() << " "
                         << qPrintable(widget->objectName());
    }
  }
}

}  // namespace
}  // namespace shardlens
