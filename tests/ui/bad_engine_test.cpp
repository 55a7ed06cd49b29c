// Tests that the window survives an engine that misbehaves.
#include "tests/ui/support/window.h"

#include <gmock/gmock.h>

#include <QAction>
#include <QFile>
#include <signal.h>

namespace shardlens {
namespace {

struct OnBadEngine : Window {
  explicit OnBadEngine(const char* part) {
    qputenv("SHARDLENS_ENGINE", SHARDLENS_BAD_ENGINE);
    QFile file(path(part) + QStringLiteral(".json"));
    EXPECT_TRUE(file.open(QIODevice::WriteOnly));
    file.close();
    EXPECT_TRUE(window.openPath(file.fileName()));
  }
  bool opened() {
    return QTest::qWaitFor([this] { return window.document() != nullptr; }, 10000);
  }
  bool showsMessage(const QString& text) {
    return QTest::qWaitFor([&] { return message().contains(text); }, 10000);
  }
};

bool isGone(qint64 process) { return kill(static_cast<pid_t>(process), 0) != 0; }

TEST(BadEngine, RefusedScenarioShowsTheEnginesMessage) {
  OnBadEngine on("refuse");
  EXPECT_TRUE(on.showsMessage(QStringLiteral("refuse.json:3: expected a mesh")));
  EXPECT_TRUE(on.window.messages().isVisible());
  EXPECT_EQ(on.window.document(), nullptr);
  EXPECT_FALSE(on.window.isOpening());
}

TEST(BadEngine, RefusedScenarioLeavesTheDocumentOpen) {
  OnBadEngine on("die");
  ASSERT_TRUE(on.opened());
  const QString open = on.window.document()->path();
  QFile::copy(open, on.path("refuse.json"));
  EXPECT_TRUE(on.window.openPath(on.path("refuse.json")));
  EXPECT_TRUE(on.showsMessage(QStringLiteral("refuse.json:3: expected a mesh")));
  EXPECT_EQ(on.window.document()->path(), open);
}

TEST(BadEngine, SlowEngineShowsABusyIndicator) {
  OnBadEngine on("hang");
  ASSERT_TRUE(on.opened());
  on.window.cursor().moveTo(1000);
  auto* busy = on.find<QWidget>("busy");
  EXPECT_TRUE(QTest::qWaitFor([&] { return busy->isVisible(); }, 10000));
  on.press(Qt::Key_Home);
  EXPECT_TRUE(QTest::qWaitFor([&] { return !busy->isVisible(); }, 10000));
}

TEST(BadEngine, EngineThatExitsSilentlyIsReported) {
  OnBadEngine on("leave");
  EXPECT_TRUE(on.showsMessage(QStringLiteral("ended before the end of leave.json")));
}

TEST(BadEngine, UnknownMessageIsReported) {
  OnBadEngine on("mutter");
  EXPECT_TRUE(on.showsMessage(QStringLiteral("Invalid message from the engine")));
}

TEST(BadEngine, EndlessLineIsReported) {
  OnBadEngine on("babble");
  EXPECT_TRUE(
      on.showsMessage(QStringLiteral("got a line of more than 4096 bytes, expected one report")));
  EXPECT_FALSE(on.window.isOpening());
}

TEST(BadEngine, MissingEngineIsReported) {
  OnBadEngine on("refuse");
  qputenv("SHARDLENS_ENGINE", "/nowhere/shardlens");
  EXPECT_TRUE(on.window.openPath(on.path("refuse.json")));
  EXPECT_TRUE(on.showsMessage(QStringLiteral("could not be started")));
}

TEST(BadEngine, RecordingOfACrashedEngineStaysOpen) {
  OnBadEngine on("die");
  ASSERT_TRUE(on.opened());
  on.window.cursor().moveTo(1000);
  EXPECT_TRUE(on.showsMessage(QStringLiteral("crashed while it ran die.json")));
  EXPECT_TRUE(on.message().contains(QStringLiteral("still available")));
  EXPECT_TRUE(on.shows(QStringLiteral("event 25 of 25")));
  on.click("backButton");
  EXPECT_TRUE(on.shows(QStringLiteral("event 24 of 25")));
  const auto& problems = *on.window.problems().problems();
  ASSERT_FALSE(problems.empty());
  EXPECT_TRUE(problems[0].sentence.starts_with("The engine crashed while it ran die.json"));
  EXPECT_THAT(problems[0].events, testing::ElementsAre(25));
}

TEST(BadEngine, HangingEngineCanBeStopped) {
  OnBadEngine on("hang");
  ASSERT_TRUE(on.opened());
  on.window.cursor().moveTo(1000);
  const auto* start = on.find<QAction>("start");
  ASSERT_TRUE(QTest::qWaitFor([&] { return start->isEnabled(); }));
  EXPECT_TRUE(on.window.cursor().waits());
  on.press(Qt::Key_Home);
  on.press(Qt::Key_Right);
  EXPECT_TRUE(QTest::qWaitFor([&] { return on.window.cursor().position() == 1; }));
  const qint64 process = on.window.document()->engine()->processId();
  on.find<QAction>("stopEngine")->trigger();
  EXPECT_TRUE(on.showsMessage(QStringLiteral("was stopped")));
  EXPECT_TRUE(isGone(process));
}

// The document "hang" is open while "mute", whose engine never answers, is opening.
struct OnTwoEngines : OnBadEngine {
  OnTwoEngines() : OnBadEngine("hang") {
    EXPECT_TRUE(opened());
    QFile::copy(window.document()->path(), path("mute.json"));
    EXPECT_TRUE(window.openPath(path("mute.json")));
  }
};

TEST(BadEngine, EachSilentEngineIsReported) {
  OnTwoEngines on;
  Q_EMIT on.window.opening()->silent();
  const QString ofOpening = QStringLiteral("The engine of mute.json has not answered for a while.");
  EXPECT_EQ(on.message(), ofOpening);
  Q_EMIT on.window.document()->silent();
  EXPECT_EQ(on.message(), QStringLiteral("The engine of hang.json has not answered for a while."));
  Q_EMIT on.window.document()->stateChanged();  // "hang" has answered
  EXPECT_EQ(on.message(), ofOpening);
}

TEST(BadEngine, StopsTheOpeningEngineFirst) {
  OnTwoEngines on;
  auto* stop = on.find<QAction>("stopEngine");
  ASSERT_TRUE(stop->isEnabled());
  stop->trigger();
  EXPECT_TRUE(on.showsMessage(QStringLiteral("The engine was stopped.")));
  EXPECT_FALSE(on.window.isOpening());
  EXPECT_TRUE(on.window.document()->mayGrow());
  EXPECT_TRUE(stop->isEnabled());
  stop->trigger();
  EXPECT_TRUE(on.showsMessage(QStringLiteral("still available")));
  EXPECT_FALSE(stop->isEnabled());
}

TEST(BadEngine, OpeningCanBeStopped) {
  OnBadEngine on("mute");
  auto* stop = on.find<QAction>("stopEngine");
  EXPECT_TRUE(stop->isEnabled());
  stop->trigger();
  EXPECT_TRUE(on.showsMessage(QStringLiteral("The engine was stopped.")));
  EXPECT_FALSE(stop->isEnabled());
}

// An engine that records very much. `sizes` are those of the journal at each change of its state
// and at its failure.
struct OnHurry : OnBadEngine {
  explicit OnHurry(const char* part) : OnBadEngine(part) {
    EXPECT_TRUE(opened());
    const EngineClient* engine = window.document()->engine();
    const auto note = [this, engine] { sizes.push_back(engine->journal()->size()); };
    QObject::connect(engine, &EngineClient::stateChanged, &window, note);
    QObject::connect(engine, &EngineClient::failed, &window, note);
    QObject::connect(engine, &EngineClient::grew, &window, [this] { ++slices; });
    window.cursor().toEnd();
  }
  std::vector<EventId> sizes;
  int slices = 0;
};

TEST(BadEngine, EndIsReportedAfterAllEventsAreRead) {
  OnHurry on("hurry");
  EXPECT_TRUE(on.shows(QStringLiteral("event 300001 of 300001"))) << qPrintable(on.position());
  EXPECT_THAT(on.sizes, testing::ElementsAre(1, 150001, 150001, 300001));
  EXPECT_GT(on.slices, 4);
}

TEST(BadEngine, CrashIsReportedAfterAllEventsAreRead) {
  OnHurry on("collapse");
  EXPECT_TRUE(on.showsMessage(QStringLiteral("crashed while it ran collapse.json")));
  EXPECT_TRUE(on.shows(QStringLiteral("event 150001 of 150001"))) << qPrintable(on.position());
  EXPECT_THAT(on.sizes, testing::ElementsAre(1, 150001, 150001));
  EXPECT_GT(on.slices, 2);
}

TEST(BadEngine, ClosingTheWindowEndsTheEngine) {
  OnBadEngine on("mute");
  auto* engine = on.window.opening()->engine();
  ASSERT_TRUE(QTest::qWaitFor([&] { return engine->processId() != 0; }));
  const qint64 process = engine->processId();
  on.window.close();
  EXPECT_TRUE(isGone(process));
}

}  // namespace
}  // namespace shardlens
