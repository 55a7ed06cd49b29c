// Tests the order of the parts of the panel Overview.
#include "core/trace/recorder/event_makers.h"
#include "tests/support/qt_tests.h"
#include "ui/models/problem_watch.h"
#include "ui/panels/overview_panel.h"

#include <QLabel>
#include <QTest>

namespace shardlens {
namespace {

TEST(Overview, HasTheProblemsFirstIfThereIsNoRoomForAll) {
  Journal journal;
  Recorder recorder;
  recorder.addSink(journal);
  recorder.note(makeStep(recorder, "y = f(x)"));
  recorder.note(makeError(recorder, "y is refused"));
  ProblemWatch watch;
  OverviewPanel panel;
  panel.setWatch(watch);
  panel.resize(400, 600);
  panel.show();
  watch.setJournal(journal, RunState::Ended);
  panel.setSnapshot(journal, {});
  ASSERT_TRUE(QTest::qWaitFor([&] { return !watch.problems()->empty(); }));
  const auto* totals = panel.findChild<QLabel*>(QStringLiteral("overviewTotals"));
  const auto* problems = panel.findChild<QLabel*>(QStringLiteral("overviewProblems"));
  const auto isFirst = [&](const QLabel* one, const QLabel* other) {
    return QTest::qWaitFor([=] { return one->y() < other->y(); });
  };
  EXPECT_TRUE(isFirst(totals, problems));
  panel.resize(400, 60);
  EXPECT_TRUE(isFirst(problems, totals));
  panel.resize(400, 600);
  EXPECT_TRUE(isFirst(totals, problems));
}

}  // namespace
}  // namespace shardlens
