// Tests the panel Mask buffers: one buffer, and the table of all.
#include "ui/panels/buffers_panel.h"

#include "core/trace/snapshot/state_index.h"
#include "tests/ui/support/at_event.h"
#include "ui/panels/all_buffers_box.h"
#include "ui/widgets/refcount_chart.h"

#include <gtest/gtest.h>

#include <QComboBox>
#include <QLabel>
#include <QLineSeries>
#include <QSignalSpy>
#include <QTableView>
#include <QToolButton>
#include <QValueAxis>

namespace shardlens {
namespace {

TEST(Panels, BuffersShowTheRefcountUpToThePosition) {
  At at(EventKind::MaskMaterialized, 1);
  EXPECT_EQ(at.find<QLabel>("bufferHolders")->text(), QStringLiteral("#1 held by x', y"));
  EXPECT_EQ(at.find<QLabel>("bufferState")->text(), QStringLiteral("refcount 2"));
  EXPECT_EQ(at.find<QLabel>("bufferFoot")->text(),
            QStringLiteral("masked ids: 4 of 6 on rank 0, 4 on 1, 5 on 2, 5 on 3"));
  const auto* chart = at.find<RefcountChart>("refcountChart");
  EXPECT_EQ(chart->past().points().last(), QPointF(at.position_, 2));
  EXPECT_EQ(chart->future().points().first(), QPointF(at.position_, 2));
  EXPECT_EQ(chart->future().points().last(), QPointF(25, 0));
  at.go(EventKind::MaskReleased, 1);
  EXPECT_EQ(at.find<QLabel>("bufferState")->text(), QStringLiteral("released"));
}

// 2,000,000 would be elided to "2000…".
TEST(Panels, ChartOfMillionsOfEventsHasWholeLabels) {
  RefcountChart chart;
  const auto interval = [&](int width) {
    chart.resize(width, 180);
    return qobject_cast<QValueAxis*>(chart.chart()->axes(Qt::Horizontal).first())->tickInterval();
  };
  chart.show();
  chart.setSteps({{0, 0}, {1e7, 0}}, 1e7);
  EXPECT_EQ(interval(280), 5e6);
  EXPECT_EQ(interval(900), 2e6);
  chart.setSteps({{0, 0}, {50, 0}}, 50);
  EXPECT_EQ(interval(280), 10);
}

TEST(Panels, AllBuffersTableLeadsToEvents) {
  At at(EventKind::MaskMaterialized, 1);
  EXPECT_FALSE(at.find<QTableView>("buffersView")->isVisible());
  at.find<QToolButton>("allBuffers")->click();
  auto* buffers = at.find<QTableView>("buffersView");
  auto* events = at.find<QTableView>("bufferEventsView");
  ASSERT_TRUE(buffers->isVisible());
  EXPECT_FALSE(at.find<QLabel>("bufferHolders")->isVisible());
  using Column = view::BuffersTable::Column;
  const auto cell = [&](int column) {
    return buffers->model()->index(0, column).data().toString();
  };
  EXPECT_EQ(cell(Column::Buffer), QStringLiteral("#1"));
  EXPECT_EQ(cell(Column::Refcount), QStringLiteral("2"));
  EXPECT_EQ(cell(Column::Hits), QStringLiteral("1"));
  EXPECT_EQ(cell(Column::Holders), QStringLiteral("x', y"));
  EXPECT_EQ(at.find<QLabel>("bufferEventsTitle")->text(), QStringLiteral("Events of #1"));
  const int last = events->model()->rowCount() - 1;
  ASSERT_GT(last, 2);
  EXPECT_EQ(events->model()->index(last, 1).data().toString(), QStringLiteral("released"));
  EXPECT_EQ(events->model()->index(last, view::BufferEventsTable::Inside).data().toString(),
            QStringLiteral("redistribute y: MaskP → R"));
  QSignalSpy gone(at.find<Panel>("buffersPanel"), &Panel::positionRequested);
  events->setCurrentIndex(events->model()->index(last, 0));
  QTest::keyClick(events, Qt::Key_Return);
  ASSERT_EQ(gone.size(), 1);
  EXPECT_EQ(QString::number(gone.front().front().toUInt()),
            events->model()->index(last, 0).data().toString());
  at.find<QToolButton>("allBuffers")->click();
  EXPECT_FALSE(buffers->isVisible());
}

TEST(Panels, NarrowTableKeepsTheHolders) {
  At at(EventKind::MaskMaterialized, 1);
  at.find<QToolButton>("allBuffers")->click();
  auto* box = at.find<AllBuffersBox>("allBuffersBox");
  auto* buffers = at.find<QTableView>("buffersView");
  using Column = view::BuffersTable::Column;
  for (const int width : {539, 540}) {
    box->resize(width, 300);
    for (const Column count : {Column::Made, Column::Hits, Column::Applied, Column::Released}) {
      EXPECT_EQ(buffers->isColumnHidden(count), width < 540) << width;
    }
    for (const Column column : {Column::Buffer, Column::Refcount, Column::Holders, Column::Alarm}) {
      EXPECT_FALSE(buffers->isColumnHidden(column)) << width;
    }
  }
}

TEST(Panels, BufferChoiceFitsItsText) {
  At at(EventKind::MaskMaterialized, 1);
  const auto* choice = at.find<QComboBox>("bufferChoice");
  const QString text = QStringLiteral("newest");
  EXPECT_EQ(choice->currentText(), text);
  EXPECT_GT(choice->width(), choice->fontMetrics().horizontalAdvance(text));
}

TEST(Panels, LeakIsReportedWhenTheProgramArrivesLate) {
  Journal journal;
  Recorder recorder;
  recorder.addSink(journal);
  recorder.setStep(0, 2);
  Event step;
  step.kind = EventKind::Step;
  const EventId span = recorder.begin(step);
  Event made;
  made.kind = EventKind::MaskMaterialized;
  made.subject = 1;
  made.count = 1;
  made.detail = recorder.intern(R"({"holder": "y"})");
  recorder.note(made);
  recorder.end(span);
  StateIndex states(journal);
  BuffersPanel panel;
  const auto* alarm = panel.findChild<QLabel*>(QStringLiteral("bufferAlarm"));
  panel.setSnapshot(journal, states.at(2));
  EXPECT_EQ(alarm->text(), QString());
  recorder.meta("scenario", R"({"steps": [{"id": "y", "call": "aten.embedding"}]})");
  panel.setSnapshot(journal, states.at(2));
  EXPECT_EQ(alarm->text(),
            QStringLiteral("<b>Not released:</b> the program has ended with a buffer in use."));
  panel.resize(300, panel.minimumHeight());
  panel.grab();  // forces the layout
  const auto* chart = panel.findChild<RefcountChart*>(QStringLiteral("refcountChart"));
  const auto* foot = panel.findChild<QLabel*>(QStringLiteral("bufferFoot"));
  EXPECT_FALSE(chart->geometry().intersects(foot->geometry()));
  delete panel.header();
}

}  // namespace
}  // namespace shardlens
