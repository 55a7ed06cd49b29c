// Tests the panel Caches: results of lookups, and the growth of the caches.
#include "ui/panels/caches_panel.h"

#include "core/trace/recorder/event_makers.h"
#include "core/trace/snapshot/state_index.h"
#include "core/view/tables/caches_table.h"
#include "tests/trace/named_event.h"
#include "tests/ui/support/at_event.h"
#include "ui/text/empty_journal.h"
#include "ui/widgets/caches_chart.h"

#include <gtest/gtest.h>

#include <QHeaderView>
#include <QLineSeries>
#include <QSignalSpy>
#include <QTableView>

namespace shardlens {
namespace {

TEST(Panels, CachesReportAVerifiedHit) {
  Journal journal;
  Recorder recorder;
  recorder.addSink(journal);
  Event miss = namedEvent(recorder, EventKind::CacheLookup, "plan");
  miss.verdict = Verdict::Miss;
  miss.count = 1;
  miss.detail = recorder.intern(R"({"fields": [["from", "R"]]})");
  Event hit = miss;
  hit.verdict = Verdict::Hit;
  hit.subject = recorder.note(miss);
  hit.detail = 0;
  recorder.note(hit);
  hit.detail = recorder.intern(R"({"verified": true})");
  recorder.note(hit);
  StateIndex states(journal);
  CachesPanel panel;
  const QString expected = QStringLiteral("Recomputed: the result is equal to the cached one.");
  panel.setSnapshot(journal, states.at(2));
  EXPECT_FALSE(panel.explanation().contains(expected));
  panel.setSnapshot(journal, states.at(3));
  EXPECT_TRUE(panel.explanation().contains(expected));
  delete panel.header();
}

TEST(Panels, CachesGiveNoReasonForTheMissOfAJob) {
  Journal journal;
  Recorder recorder;
  recorder.addSink(journal);
  recorder.meta("backend", "DTensor of torch 2.11.0");
  Event miss = namedEvent(recorder, EventKind::CacheLookup, "plan");
  miss.verdict = Verdict::Miss;
  miss.detail = recorder.intern(R"({"fields": [["from", "R"]]})");
  recorder.note(miss);
  StateIndex states(journal);
  CachesPanel panel;
  panel.setSnapshot(journal, states.at(1));
  EXPECT_TRUE(panel.explanation().contains(QStringLiteral("Missed in the")));
  EXPECT_FALSE(panel.explanation().contains(QStringLiteral("no similar entry")));
  delete panel.header();
}

TEST(Panels, CachesExplainTheNewestLookup) {
  At at(EventKind::CacheLookup, 0);
  const auto* caches = at.find<CachesPanel>("cachesPanel");
  EXPECT_TRUE(caches->explanation().contains(QStringLiteral("no similar entry")));
  EXPECT_EQ(caches->header()->note(), QStringLiteral("hits: strategy 0/1 · plan 0/0"));
  at.go(EventKind::CacheLookup, 2);
  EXPECT_TRUE(caches->explanation().contains(QStringLiteral(
      "Hit in the plan cache.</b> The entry: made 2 lookups ago, used once before.")));
  EXPECT_EQ(caches->header()->note(), QStringLiteral("hits: strategy 0/1 · plan 1/2"));
}

TEST(Panels, CachesDrawChartsBesideTheTableOfALowPanel) {
  Journal journal;
  recordLookup(journal);
  StateIndex states(journal);
  CachesPanel caches;
  caches.resize(600, 240);
  caches.show();
  caches.setSnapshot(journal, states.at(journal.size()));
  const auto* chart = caches.findChild<CachesChart*>(QStringLiteral("cacheEntriesChart"));
  const auto* table = caches.findChild<QWidget*>(QStringLiteral("cachesView"));
  ASSERT_TRUE(chart->isVisible());
  QCoreApplication::processEvents();
  EXPECT_GT(chart->mapTo(&caches, QPoint()).x(), table->geometry().right());
  caches.resize(400, 240);
  EXPECT_FALSE(chart->isVisible());
  delete caches.header();
}

TEST(Panels, CachesShowUsesBesideTheCharts) {
  Journal journal;
  recordLookup(journal);
  StateIndex states(journal);
  CachesPanel caches;
  caches.resize(624, 240);  // of the default window
  caches.show();
  caches.setSnapshot(journal, states.at(journal.size()));
  QCoreApplication::processEvents();
  const auto* table = caches.findChild<QTableView*>(QStringLiteral("cachesView"));
  EXPECT_TRUE(caches.findChild<QWidget*>(QStringLiteral("cacheEntriesChart"))->isVisible());
  using Column = view::CachesTable::Column;
  for (const int column : {Column::Hits, Column::Misses, Column::First, Column::LastUse}) {
    EXPECT_FALSE(table->isColumnHidden(column)) << column;
    EXPECT_GE(table->columnWidth(column), table->horizontalHeader()->sectionSizeHint(column));
  }
  EXPECT_TRUE(table->isColumnHidden(Column::Size));
  EXPECT_GT(table->columnWidth(Column::Key), 60);
  caches.resize(640, 180);  // without charts the table has the whole width
  QCoreApplication::processEvents();
  EXPECT_FALSE(table->isColumnHidden(Column::Size));
  delete caches.header();
}

TEST(Panels, CachesDrawChartsInALargePanel) {
  Journal journal;
  recordLookup(journal);
  StateIndex states(journal);
  CachesPanel caches;
  caches.resize(400, 420);
  const QSignalSpy requested(&caches, &Panel::positionRequested);
  caches.setSnapshot(journal, states.at(10));
  caches.grab();  // forces the layout
  auto* chart = caches.findChild<CachesChart*>(QStringLiteral("cacheEntriesChart"));
  EXPECT_FALSE(chart->parentWidget()->isHidden());
  EXPECT_EQ(chart->strategy().points().back(), QPointF(25, 1));
  EXPECT_EQ(chart->plan().points().back(), QPointF(25, 1));
  const auto* rate = caches.findChild<CachesChart*>(QStringLiteral("cacheHitRateChart"));
  EXPECT_EQ(rate->plan().points().back(), QPointF(25, 50));
  const QPointF at = chart->chart()->mapToPosition({9, 0.5});
  QTest::mouseClick(chart->viewport(), Qt::LeftButton, {}, chart->mapFromScene(at));
  ASSERT_EQ(requested.size(), 1);
  EXPECT_EQ(requested.front().front().value<EventId>(), 9U);
  caches.resize(400, 200);
  caches.grab();
  EXPECT_TRUE(chart->parentWidget()->isHidden());
  caches.setSnapshot(emptyJournal(), {});
  EXPECT_TRUE(chart->isEmpty());
  delete caches.header();
}

TEST(Panels, CachesNameTheFieldsThatDiffer) {
  Journal journal;
  Recorder recorder;
  recorder.addSink(journal);
  const auto lookUp = [&](EventId nearest, const char* shape) {
    return recorder.note(makeLookup(recorder, CacheTable::Strategy,
                                    {.entry = nearest, .kept = true},
                                    LookupRecord{.fields = {{"weight", shape}}}));
  };
  lookUp(lookUp(0, "[10, 5]"), "[10, 3]");
  StateIndex states(journal);
  CachesPanel caches;
  caches.setSnapshot(journal, states.at(2));
  for (const char* text : {"nearest entry:", "weight", "[10, 3]", "[10, 5]"}) {
    EXPECT_TRUE(caches.explanation().contains(QLatin1String(text))) << text;
  }
  delete caches.header();
}

}  // namespace
}  // namespace shardlens
