// Tests the panel Overview.
#include "core/trace/file/trace_writer.h"
#include "core/trace/recorder/event_makers.h"
#include "tests/ui/support/window.h"
#include "ui/panels/overview_panel.h"
#include "ui/panels/steps_panel.h"

#include <gtest/gtest.h>

#include <QTreeView>
#include <optional>

namespace shardlens {
namespace {

// CommDebugMode and similar logs have neither bytes nor redistributions.
TEST(Overview, StatesThatAnImportedLogHasNoBytes) {
  Window on;
  {
    auto writer = TraceWriter::create(on.path("log.shardlens").toStdString());
    Recorder recorder;
    recorder.addSink(**writer);
    recorder.meta("imported", "CommDebugMode");
    recorder.note(makeCollective(recorder, CollectiveKind::AllReduce, "0-3", -1, 0, {}));
    ASSERT_TRUE((*writer)->close());
    recorder.removeSinks();
  }
  ASSERT_TRUE(on.open(on.path("log.shardlens")));
  const QString totals = on.find<QLabel>("overviewTotals")->text();
  EXPECT_TRUE(totals.contains(QStringLiteral("1&nbsp;collective, bytes unknown")))
      << qPrintable(totals);
  EXPECT_FALSE(totals.contains(QStringLiteral("redistribution"))) << qPrintable(totals);
  EXPECT_EQ(on.find<StepsPanel>("eventsPanel")->header()->note(), QStringLiteral("1 event"));
}

// The bytes of the axes and of groups that are none add up to the total.
TEST(Overview, HasTheTotalsAndTheProblems) {
  Window on;
  {
    auto writer = TraceWriter::create(on.path("run.shardlens").toStdString());
    Recorder recorder;
    recorder.addSink(**writer);
    recorder.meta("mesh", "4:tp");
    {
      const Span step(recorder, makeStep(recorder, "y = f(x)"));
      const auto send = [&](std::int64_t bytes, int axis, const char* group) {
        recorder.note(makeCollective(recorder, CollectiveKind::AllReduce, group, axis, bytes, {}));
      };
      send(300, 0, "0-3");
      send(400, 0, "0-3");
      send(100, -1, "1,3");
    }
    recorder.note(makeError(
        recorder, "y is refused: got R, expected S(0) for the sum of all values over tp"));
    ASSERT_TRUE((*writer)->close());
    recorder.removeSinks();
  }
  ASSERT_TRUE(on.open(on.path("run.shardlens")));
  const QString totals = on.find<QLabel>("overviewTotals")->text();
  EXPECT_TRUE(totals.contains(QStringLiteral("4&nbsp;ranks · 1&nbsp;step · 5&nbsp;events")))
      << qPrintable(totals);
  EXPECT_TRUE(totals.contains(
      QStringLiteral("800&nbsp;B in 3&nbsp;collectives: tp 700&nbsp;B, other 100&nbsp;B")))
      << qPrintable(totals);
  EXPECT_TRUE(totals.contains(QStringLiteral("0&nbsp;redistributions that send")));
  const auto* problems = on.find<QLabel>("overviewProblems");
  EXPECT_TRUE(QTest::qWaitFor([&] {
    return problems->text().contains(QStringLiteral("<a href='5'"));
  })) << qPrintable(problems->text());
  // The message above the panels and Problems have the details.
  EXPECT_TRUE(problems->text().contains(
      QStringLiteral(">y is refused: got R, expected S(0) for the sum of all values…</a>")))
      << qPrintable(problems->text());
  const auto* events = on.find<StepsPanel>("eventsPanel")->findChild<QTreeView*>();
  const int line = events->visualRect(events->model()->index(0, 0)).height();
  EXPECT_EQ(events->visualRect(events->model()->index(1, 0)).height(), line);
}

void sendOnce(Journal& journal, std::int64_t bytes) {
  Recorder recorder;
  recorder.addSink(journal);
  recorder.note(makeCollective(recorder, CollectiveKind::AllReduce, "0-3", -1, bytes, {}));
}

// A journal may get the address of one that was closed.
TEST(Overview, HasTheTotalsOfTheNextJournal) {
  OverviewPanel panel;
  const auto sent = [&panel](const Journal& journal, const char* bytes) {
    panel.setSnapshot(journal, {});
    return panel.findChild<QLabel*>(QStringLiteral("overviewTotals"))
        ->text()
        .contains(QLatin1String(bytes));
  };
  const Journal nothing;
  std::optional<Journal> journal;
  sendOnce(journal.emplace(), 100);
  EXPECT_TRUE(sent(*journal, "100&nbsp;B in 1&nbsp;collective"));
  EXPECT_TRUE(sent(nothing, "No events yet."));
  sendOnce(journal.emplace(), 200);
  EXPECT_TRUE(sent(*journal, "200&nbsp;B in 1&nbsp;collective"));
}

}  // namespace
}  // namespace shardlens
