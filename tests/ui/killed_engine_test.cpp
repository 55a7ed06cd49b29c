// Kills the engine during each kind of work. The window survives and has all events that the engine
// recorded. Closing a window ends its engine, whatever the engine does.
#include "core/model/event.h"
#include "tests/ui/support/window.h"
#include "ui/bridge/engine_client.h"

#include <gtest/gtest.h>

#include <QAction>
#include <signal.h>

namespace shardlens {
namespace {

// Has two ways to distribute tensors, a masked lookup, its reduction, and backward.
const char* const kScenario = SHARDLENS_GALLERY "/01-vocabulary-parallel-embedding.json";

struct OnRun : Window {
  OnRun() {
    qputenv("SHARDLENS_ENGINE", SHARDLENS_ENGINE);
    EXPECT_TRUE(open(QString::fromLatin1(kScenario)));
  }
  bool isAt(EventId position) {
    return QTest::qWaitFor([&] { return window.cursor().position() == position; }, 60000);
  }
  pid_t engine() { return static_cast<pid_t>(window.document()->engine()->processId()); }
  const Journal& journal() { return window.cursor().journal(); }
};

// The work during which the engine is killed.
struct Doing {
  const char* name;
  EventKind kind;
  bool isBackward = false;
};

EventId find(const Journal& journal, const Doing& doing) {
  bool isBackward = false;
  for (EventId id = 1; id <= journal.size(); ++id) {
    const Event event = journal.at(id);
    isBackward |= journal.name(event).starts_with("backward");
    if (event.kind == doing.kind && isBackward == doing.isBackward) return id;
  }
  return 0;
}

class KilledEngine : public testing::TestWithParam<Doing> {};

TEST_P(KilledEngine, LeavesItsEventsInTheWindow) {
  OnRun whole;
  whole.window.cursor().toEnd();
  ASSERT_TRUE(QTest::qWaitFor([&] { return whole.window.cursor().atEnd(); }, 60000));
  const EventId at = find(whole.journal(), GetParam());
  ASSERT_NE(at, 0);

  OnRun on;
  on.window.cursor().moveTo(at);
  ASSERT_TRUE(on.isAt(at));
  ASSERT_EQ(kill(on.engine(), SIGKILL), 0);
  EXPECT_TRUE(QTest::qWaitFor([&] { return !on.window.document()->mayGrow(); }, 60000));
  EXPECT_EQ(on.message(),
            QStringLiteral("The engine crashed while it ran 01-vocabulary-parallel-embedding.json. "
                           "The events recorded until then are still available."));
  EXPECT_EQ(on.window.cursor().size(), at);
  for (EventId id = 1; id <= at; ++id) {
    EXPECT_EQ(on.journal().at(id).kind, whole.journal().at(id).kind) << id;
    EXPECT_EQ(on.journal().name(on.journal().at(id)), whole.journal().name(whole.journal().at(id)));
  }
  EXPECT_FALSE(on.find<QAction>("step")->isEnabled());
  on.press(Qt::Key_Home);
  EXPECT_TRUE(on.shows(QStringLiteral("event 0 of %1").arg(at)));
  on.press(Qt::Key_End);
  EXPECT_TRUE(on.shows(QStringLiteral("event %1 of %1").arg(at)));
  EXPECT_TRUE(on.find<QAction>("runAgain")->isEnabled());
}

using enum EventKind;

INSTANTIATE_TEST_SUITE_P(
    InTheMiddleOf, KilledEngine,
    testing::Values(Doing{"Setup", Step}, Doing{"AnOperator", Operator},
                    Doing{"ALookUpInACache", CacheLookup}, Doing{"AChoice", Candidates},
                    Doing{"ARedistribution", Redistribute}, Doing{"APlan", Plan},
                    Doing{"ACollective", Collective}, Doing{"AMask", MaskMaterialized},
                    Doing{"TheEndOfAMask", MaskReleased}, Doing{"LocalCompute", Compute},
                    Doing{"AResult", Result}, Doing{"Backward", Step, true},
                    Doing{"AnOperatorOfBackward", Operator, true},
                    Doing{"LocalComputeOfBackward", Compute, true}),
    [](const auto& info) { return info.param.name; });

TEST(ClosedWindow, EndsAWaitingEngine) {
  OnRun on;
  on.window.cursor().moveTo(8);
  ASSERT_TRUE(on.isAt(8));
  const pid_t engine = on.engine();
  ASSERT_EQ(kill(engine, 0), 0);
  on.window.close();
  EXPECT_NE(kill(engine, 0), 0);
  EXPECT_EQ(on.window.document(), nullptr);
}

TEST(ClosedWindow, EndsARunningEngine) {
  OnRun on;
  const pid_t engine = on.engine();
  ASSERT_EQ(kill(engine, SIGSTOP), 0);  // the engine answers no request
  on.window.cursor().toEnd();
  on.window.redraw();
  EXPECT_TRUE(on.window.cursor().waits());
  on.window.close();
  EXPECT_NE(kill(engine, 0), 0);
  EXPECT_EQ(on.window.cursor().size(), 0);
}

TEST(ClosedWindow, StopsPlaying) {
  OnRun on;
  on.press(Qt::Key_Space);
  ASSERT_TRUE(QTest::qWaitFor([&] { return on.window.cursor().position() > 0; }, 60000));
  const pid_t engine = on.engine();
  on.window.close();
  EXPECT_NE(kill(engine, 0), 0);
  EXPECT_EQ(on.window.cursor().position(), 0);
}

}  // namespace
}  // namespace shardlens
