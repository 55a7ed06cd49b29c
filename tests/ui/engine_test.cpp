// Tests the window with the real engine.
#include "core/trace/merge/trace_reader.h"
#include "core/trace/snapshot/state_index.h"
#include "tests/ui/support/on_recording.h"
#include "ui/pages/tour.h"
#include "ui/scenes/lookup_origin.h"

#include <gmock/gmock.h>

#include <QFile>
#include <QImage>
#include <QProcess>
#include <QSettings>
#include <signal.h>

namespace shardlens {
namespace {

const char* const kLookup = R"j({
  "shardlens": 1,
  "title": "a lookup",
  "mesh": {"shape": [4], "names": ["tp"]},
  "masking": "stepwise",
  "steps": [
    {"id": "w", "call": "tensor", "fill": "arange", "shape": [10, 3], "placements": ["S(0)"]},
    {"id": "x", "call": "tensor", "data": [0, 9, 4, 4, 2, 7], "dtype": "int64",
     "placements": ["R"]},
    {"id": "y", "call": "aten.embedding", "args": ["$w", "$x"]},
    {"id": "z", "call": "redistribute", "args": ["$y"], "placements": ["R"]}
  ]
})j";

struct OnEngine : Window {
  explicit OnEngine(const char* scenario = kLookup) {
    qputenv("SHARDLENS_ENGINE", SHARDLENS_ENGINE);
    write(scenario);
    EXPECT_TRUE(window.openPath(path("scenario.json")));
    EXPECT_TRUE(opened());
  }
  bool opened() {
    return QTest::qWaitFor([&] { return !window.isOpening(); }, 30000);
  }
  void write(const char* scenario) {
    QFile file(path("scenario.json"));
    EXPECT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(scenario);
  }
  bool is(EngineClient::State state) {
    return QTest::qWaitFor([&] { return window.document()->engine()->state() == state; }, 30000);
  }
  EventId size() { return window.cursor().size(); }
  bool at(EventId position) {
    return QTest::qWaitFor([&] { return window.cursor().position() == position; }, 30000);
  }
};

// The first scenario of a new user runs up to the first decision, so that Why is filled.
TEST(Engine, TheTourShowsFilledPanels) {
  qputenv("SHARDLENS_ENGINE", SHARDLENS_ENGINE);
  const QTemporaryDir folder;
  QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, folder.path());
  QFile file(folder.filePath(QStringLiteral("scenario.json")));
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  file.write(kLookup);
  file.close();
  MainWindow window(MainWindow::Memory::Keeps);
  window.show();
  ASSERT_TRUE(openIn(window, file.fileName()));
  const auto* tour = window.findChild<Tour*>();
  EXPECT_TRUE(QTest::qWaitFor([&] { return tour->isVisible(); }, 30000));
  EXPECT_FALSE(window.findChild<QWidget*>(QStringLiteral("candidatesView"))->isHidden());
  window.close();
}

TEST(Engine, WaitsAtTheStart) {
  OnEngine on;
  EXPECT_TRUE(on.is(EngineClient::State::Paused));
  EXPECT_EQ(on.size(), 0U);
  EXPECT_TRUE(on.message().isEmpty()) << qPrintable(on.message());
}

TEST(Engine, StepsBackWithoutTheEngine) {
  OnEngine on;
  ASSERT_TRUE(on.is(EngineClient::State::Paused));
  for (EventId step = 1; step <= 6; ++step) {
    on.click("stepButton");
    ASSERT_TRUE(on.at(step));
    EXPECT_EQ(on.size(), step);
  }
  on.press(Qt::Key_Left);
  EXPECT_TRUE(on.at(5));
  EXPECT_EQ(on.size(), 6U);
  EXPECT_TRUE(on.is(EngineClient::State::Paused));
}

TEST(Engine, RunsToTheEnd) {
  OnEngine on;
  on.click("endButton");
  EXPECT_TRUE(on.is(EngineClient::State::Finished));
  EXPECT_TRUE(QTest::qWaitFor([&] { return on.window.cursor().atEnd(); }));
  EXPECT_GT(on.size(), 10U);
  EXPECT_TRUE(on.message().isEmpty()) << qPrintable(on.message());
}

// The engine may run ahead of the breakpoint; the window does not.
TEST(Engine, ContinueStopsAtTheFirstMatch) {
  OnEngine on;
  ASSERT_TRUE(on.is(EngineClient::State::Paused));
  on.window.breakpoints().add({}, QStringLiteral("kind:collective"));
  on.press(Qt::Key_F5);
  const Cursor& cursor = on.window.cursor();
  ASSERT_TRUE(QTest::qWaitFor([&] { return cursor.position() > 0 && !cursor.waits(); }, 30000));
  const EventId first = cursor.position();
  EXPECT_EQ(cursor.journal().at(first).kind, EventKind::Collective);
  for (EventId id = 1; id < first; ++id) {
    EXPECT_NE(cursor.journal().at(id).kind, EventKind::Collective);
  }
  on.press(Qt::Key_F5, Qt::ControlModifier);
  EXPECT_TRUE(on.at(0));
  on.press(Qt::Key_F5);
  EXPECT_TRUE(on.at(first));
}

TEST(Engine, StepsOverALineOfTheProgram) {
  OnEngine on;
  ASSERT_TRUE(on.is(EngineClient::State::Paused));
  on.click("stepButton");
  ASSERT_TRUE(on.at(1));
  on.click("overButton");
  ASSERT_TRUE(QTest::qWaitFor([&] { return !on.window.cursor().waits(); }, 30000));
  const Event& event = on.window.cursor().journal().at(on.window.cursor().position());
  EXPECT_EQ(event.kind, EventKind::Step);
  EXPECT_EQ(event.step, 1);
}

// A live run and its recording show the same state at every position.
TEST(Engine, RecordingMatchesTheLiveRun) {
  OnEngine on;
  ASSERT_TRUE(on.is(EngineClient::State::Paused));
  std::vector<Snapshot> live{on.window.cursor().snapshot()};
  while (!on.window.cursor().atEnd()) {
    on.window.cursor().step();
    ASSERT_TRUE(QTest::qWaitFor([&] { return !on.window.cursor().waits(); }, 30000));
    if (on.window.cursor().position() == live.size()) {
      live.push_back(on.window.cursor().snapshot());
    }
  }
  ASSERT_EQ(live.size(), on.size() + 1U);
  StateIndex states(on.window.cursor().journal());
  for (EventId k = on.size() + 1; k-- > 0;) {
    EXPECT_EQ(states.at(k), live[k]) << "at " << k;
  }
}

TEST(Engine, RefusesAScenarioWithFileAndLine) {
  OnEngine on("{\"shardlens\": 1, \"steps\": []}");
  EXPECT_EQ(on.window.document(), nullptr);
  EXPECT_TRUE(on.find<QWidget>("welcomePage")->isVisible());
  EXPECT_TRUE(on.message().contains(QStringLiteral("scenario.json:1: ")))
      << qPrintable(on.message());
}

TEST(Engine, KilledEngineLeavesItsRecording) {
  OnEngine on;
  ASSERT_TRUE(on.is(EngineClient::State::Paused));
  on.window.cursor().moveTo(8);
  ASSERT_TRUE(on.at(8));
  kill(static_cast<pid_t>(on.window.document()->engine()->processId()), SIGKILL);
  EXPECT_TRUE(on.is(EngineClient::State::Gone));
  EXPECT_TRUE(on.message().contains(QStringLiteral("crashed")));
  on.press(Qt::Key_Left);
  EXPECT_TRUE(on.at(7));
}

// Fused masking leaves no masked ids in the recording, but the owners of rows are still known.
TEST(Engine, FusedLookupRowsAreHatchedAndColoured) {
  OnEngine on(QByteArray(kLookup).replace("stepwise", "fused").constData());
  on.click("endButton");
  ASSERT_TRUE(on.is(EngineClient::State::Finished));
  ASSERT_TRUE(QTest::qWaitFor([&] { return on.window.cursor().atEnd(); }));
  const Journal& journal = on.window.cursor().journal();
  const Snapshot& snapshot = on.window.cursor().snapshot();
  const TensorView y = viewTensor(journal, snapshot, LookupRun::tensor(journal, "y"));
  ASSERT_TRUE(y.origin);
  EXPECT_THAT(y.part(1)->away, testing::ElementsAre(true, true, false, false, true, true));
  EXPECT_EQ(PartLookup(journal, snapshot, y, *y.part(1)).tableRow(6), 4);
  const TensorView z = viewTensor(journal, snapshot, LookupRun::tensor(journal, "z"));
  EXPECT_EQ(PartLookup(journal, snapshot, z, *z.part(0)).tableRow(3), 9);
}

TEST(Engine, QuickPressesAreNotLost) {
  OnEngine on;
  ASSERT_TRUE(on.is(EngineClient::State::Paused));
  for (int i = 0; i < 10; ++i) {
    on.press(Qt::Key_Right);
  }
  EXPECT_TRUE(on.at(10));
  EXPECT_EQ(on.size(), 10U);
}

TEST(Engine, RunsToAClickedLineThatHasNotRun) {
  OnEngine on;
  ASSERT_TRUE(on.shows(QStringLiteral("event 0, live")));
  auto* view = on.find<QAbstractItemView>("programView");
  const QRect row = view->visualRect(view->model()->index(2, 0));
  QTest::mouseClick(view->viewport(), Qt::LeftButton, {}, row.center());
  ASSERT_TRUE(QTest::qWaitFor(
      [&] { return on.window.cursor().position() > 0 && !on.window.cursor().waits(); }, 30000));
  const Journal& journal = on.window.cursor().journal();
  EXPECT_EQ(journal.at(on.window.cursor().position()).step, 2);
  EXPECT_EQ(journal.at(on.window.cursor().position() + 1).step, 3);
}

// The window knows the end of a step from the first event of the next step. That event has happened
// then, but the cursor stays before it.
TEST(Engine, RunsToTheEndOfTheCurrentStep) {
  OnEngine on;
  ASSERT_TRUE(on.is(EngineClient::State::Paused));
  on.click("stepButton");
  ASSERT_TRUE(on.at(1));
  const Journal& journal = on.window.cursor().journal();
  for (const int step : {0, 2, 2}) {
    on.window.cursor().toEndOfStep(step);
    ASSERT_TRUE(QTest::qWaitFor([&] { return !on.window.cursor().waits(); }, 30000));
    const EventId position = on.window.cursor().position();
    EXPECT_EQ(journal.at(position).step, step);
    EXPECT_EQ(on.size(), position + 1);
    EXPECT_EQ(journal.at(position + 1).kind, EventKind::Step);
    EXPECT_EQ(journal.at(position + 1).step, step + 1);
  }
}

TEST(Engine, SilenceMessageDisappearsOnReply) {
  OnEngine on;
  ASSERT_TRUE(on.is(EngineClient::State::Paused));
  Q_EMIT on.window.document()->silent();
  EXPECT_EQ(on.message(),
            QStringLiteral("The engine of scenario.json has not answered for a while."));
  on.click("stepButton");
  ASSERT_TRUE(on.at(1));
  EXPECT_FALSE(on.window.messages().isVisible());
}

TEST(Engine, InvalidScenarioLeavesTheDocumentOpen) {
  OnEngine on;
  ASSERT_TRUE(on.is(EngineClient::State::Paused));
  on.window.cursor().moveTo(5);
  ASSERT_TRUE(on.at(5));
  QFile file(on.path("text.txt"));
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  file.write("Dear Sir or Madam");
  file.close();
  EXPECT_TRUE(on.window.openPath(file.fileName()));
  ASSERT_TRUE(on.opened());
  EXPECT_TRUE(on.message().contains(QStringLiteral("text.txt"))) << qPrintable(on.message());
  EXPECT_EQ(on.window.document()->path(), on.path("scenario.json"));
  EXPECT_EQ(on.window.cursor().position(), 5U);
}

TEST(Engine, RunAgainReadsTheFile) {
  OnEngine on;
  on.click("endButton");
  ASSERT_TRUE(on.is(EngineClient::State::Finished));
  on.write(QByteArray(kLookup).replace("a lookup", "another").constData());
  on.press(Qt::Key_F5, Qt::ShiftModifier);
  ASSERT_TRUE(on.opened());
  EXPECT_EQ(on.window.document()->title(), QStringLiteral("another"));
  EXPECT_TRUE(on.is(EngineClient::State::Paused));
  EXPECT_EQ(on.window.cursor().position(), 0U);
}

TEST(Engine, RunAgainAfterACrash) {
  OnEngine on;
  ASSERT_TRUE(on.is(EngineClient::State::Paused));
  kill(static_cast<pid_t>(on.window.document()->engine()->processId()), SIGKILL);
  ASSERT_TRUE(on.is(EngineClient::State::Gone));
  on.press(Qt::Key_F5, Qt::ShiftModifier);
  ASSERT_TRUE(on.opened());
  EXPECT_TRUE(on.is(EngineClient::State::Paused));
  EXPECT_TRUE(on.message().isEmpty()) << qPrintable(on.message());
}

TEST(Engine, SavesAnUnfinishedRun) {
  OnEngine on;
  ASSERT_TRUE(on.is(EngineClient::State::Paused));
  on.window.cursor().moveTo(7);
  ASSERT_TRUE(on.at(7));
  EXPECT_TRUE(on.window.saveRecording(on.path("kept.shardlens")));
  on.window.cursor().moveTo(9);
  ASSERT_TRUE(on.at(9));
  const auto kept = TraceReader::open(on.path("kept.shardlens").toStdString());
  ASSERT_TRUE(kept);
  EXPECT_EQ((*kept)->journal().size(), 7U);
  EXPECT_FALSE((*kept)->mayGrow());
  EXPECT_TRUE((*kept)->lostRanks().empty());
  StateIndex saved((*kept)->journal());
  StateIndex live(on.window.cursor().journal());
  EXPECT_EQ(saved.at(7), live.at(7));
}

TEST(Engine, RunsAScenarioForAPicture) {
  OnEngine on;
  QProcess picture;
  auto environment = QProcessEnvironment::systemEnvironment();
  environment.insert(QStringLiteral("SHARDLENS_ENGINE"), QStringLiteral(SHARDLENS_ENGINE));
  picture.setProcessEnvironment(environment);
  const auto taken = [&](const QStringList& options) {
    picture.start(
        QStringLiteral(SHARDLENS_GUI),
        QStringList{on.path("scenario.json"), QStringLiteral("--screenshot"), on.path("out.png")} +
            options);
    EXPECT_TRUE(picture.waitForFinished(60000));
    EXPECT_EQ(picture.exitCode(), 0) << picture.readAllStandardError().constData();
    const QImage image(on.path("out.png"));
    EXPECT_TRUE(QFile::remove(on.path("out.png")));
    return image;
  };
  const QString dark = QStringLiteral("--dark");
  EXPECT_FALSE(taken({QStringLiteral("--event=5")}).isNull());
  const QImage start = taken({dark, QStringLiteral("--event=0")});
  EXPECT_EQ(taken({dark, QStringLiteral("--event=0")}), start);
  EXPECT_NE(taken({dark}), start);  // without --event, the end
}

TEST(Engine, EndsWithTheWindow) {
  OnEngine on;
  ASSERT_TRUE(on.is(EngineClient::State::Paused));
  const auto process = static_cast<pid_t>(on.window.document()->engine()->processId());
  on.window.close();
  EXPECT_NE(kill(process, 0), 0);
}

}  // namespace
}  // namespace shardlens
