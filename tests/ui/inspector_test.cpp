// Tests the Inspector: elements of any rank or the whole tensor, and comparisons.
#include "core/query/history/element_history.h"
#include "core/trace/records/check_record.h"
#include "tests/ui/support/inspecting.h"
#include "tests/ui/support/window.h"
#include "ui/scenes/zoom.h"
#include "ui/widgets/element_histogram.h"
#include "ui/widgets/shards_canvas.h"
#include "ui/widgets/slice_bar.h"

#include <gmock/gmock.h>

#include <QClipboard>
#include <QDockWidget>
#include <QGuiApplication>
#include <QLabel>
#include <QLineSeries>
#include <QScrollBar>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTableView>
#include <cmath>

namespace shardlens {
namespace {

using testing::ElementsAre;

TEST(Inspector, ShowsTheRowsOfEachRank) {
  OnLookup on;
  on.go(EventKind::Result, 0);
  on.choose("rankChoice", "rank 0");
  EXPECT_THAT(on.rows(), ElementsAre(" 0 1 2", "0: 0.09 1.25 -0.93", "1: 0.41 -1.1 0.52",
                                     "2: 1.9 0.16 -0.04"));
  on.choose("rankChoice", "rank 2");
  EXPECT_THAT(on.rows(), ElementsAre(" 0 1 2", "6: -1.63 -0.24 -0.17", "7: -0.32 0.07 -1.34",
                                     "8: 0.88 -0.12 0.35"));
  on.choose("rankChoice", "rank 3");
  EXPECT_THAT(on.rows(), ElementsAre(" 0 1 2", "9: -0.85 -0.4 -2.02"));
  on.choose("indicesChoice", "local");
  EXPECT_THAT(on.rows(), ElementsAre(" 0 1 2", "0: -0.85 -0.4 -2.02"));
  on.choose("rankChoice", "whole");
  EXPECT_EQ(on.rows().size(), 11U);
  EXPECT_EQ(on.rows()[10], "9: -0.85 -0.4 -2.02");
  EXPECT_EQ(on.panel->figuresText(),
            QStringLiteral("30 elements · -2.02 to 1.9 · mean -0.0603333"));
  EXPECT_EQ(on.button("largestElement"), QStringLiteral("Largest: [9, 2]"));
}

TEST(Inspector, MaskedRowsAreMarkedAndLeftOutOfTheFigures) {
  OnLookup on;
  on.go(EventKind::Result, 3);
  on.choose("rankChoice", "rank 1");
  EXPECT_THAT(on.rows(), ElementsAre(" 0 1 2", "0: 0.73* 1.13* -0.03*", "1: 0.73* 1.13* -0.03*",
                                     "2: 0.59 -0.97 -0.37", "3: 0.59 -0.97 -0.37",
                                     "4: 0.73* 1.13* -0.03*", "5: 0.73* 1.13* -0.03*"));
  EXPECT_EQ(on.panel->figuresText(),
            QStringLiteral("18 elements · -0.97 to 0.59 · mean -0.25 · 12 masked, excluded"));
  EXPECT_TRUE(on.canvas().elements().words({0, 1}).endsWith("masked: another rank owns it"));
  on.choose("rankChoice", "whole");
  EXPECT_EQ(on.rows()[2], "1: -0.85 -0.4 -2.02");
}

TEST(Inspector, LocalIdsHaveNoWhole) {
  OnLookup on;
  on.go(EventKind::Result, 2);
  EXPECT_EQ(on.canvas().emptyText(),
            QStringLiteral("No reassembled tensor: local ids, which are not summed."));
  on.choose("rankChoice", "rank 3");
  EXPECT_THAT(on.rows(), ElementsAre(" ", "0: 0*", "1: 0", "2: 0*", "3: 0*", "4: 0*", "5: 0*"));
}

TEST(Inspector, ShowsAnySlice) {
  OnTensor on("2:tp", {2, 3, 4}, {Shard{1}});
  on.show();
  EXPECT_TRUE(on.find<QComboBox>("rowDimChoice")->isVisible());
  EXPECT_THAT(on.rows(), ElementsAre(" 0 1 2 3", "0: 0 1 2 3", "1: 4 5 6 7", "2: 8 9 10 11"));
  on.find<QSpinBox>("dimIndex")->setValue(1);
  EXPECT_THAT(on.rows(),
              ElementsAre(" 0 1 2 3", "0: 12 13 14 15", "1: 16 17 18 19", "2: 20 21 22 23"));
  on.choose("rankChoice", "rank 1");
  EXPECT_THAT(on.rows(), ElementsAre(" 0 1 2 3", "2: 8 9 10 11"));
  auto* down = on.find<QComboBox>("rowDimChoice");
  down->setFocus();
  QTest::keyClick(down, Qt::Key_Up);  // rows are of dim 0 then
  EXPECT_THAT(on.rows(), ElementsAre(" 0 1 2 3", "0: 8 9 10 11", "1: 20 21 22 23"));
  auto* across = on.find<QComboBox>("columnDimChoice");
  across->setFocus();
  QTest::keyClick(across, Qt::Key_Up);
  QTest::keyClick(across, Qt::Key_Up);  // dim 0, and the rows are of dim 1
  EXPECT_THAT(on.rows(), ElementsAre(" 0 1", "2: 8 20"));
}

TEST(Inspector, ShowsVectorsAsColumnsAndScalarsAsOneCell) {
  OnTensor vector("2:tp", {3}, {Shard{0}});
  vector.show();
  EXPECT_THAT(vector.rows(), ElementsAre(" ", "0: 0", "1: 1", "2: 2"));
  OnTensor scalar("2:tp", {}, {Replicate{}});
  scalar.show();
  EXPECT_THAT(scalar.rows(), ElementsAre(" ", ": 0"));
}

TEST(Inspector, EmptyShardNamesItsOffset) {
  OnTensor on("4:tp", {3, 2}, {Shard{0}});
  on.show();
  on.choose("rankChoice", "rank 3");
  EXPECT_EQ(on.canvas().emptyText(), QStringLiteral("Empty: the rows end at 2."));
  EXPECT_EQ(on.canvas().grid().rows, 0);
  EXPECT_EQ(on.panel->figuresText(), QString());
  on.press(Qt::Key_Down);
  on.press(Qt::Key_Return);
  EXPECT_FALSE(on.find<QTableView>("elementHistory")->isVisible());
}

TEST(Inspector, NonFiniteElementsAreCountedAndFoundFirst) {
  OnTensor on("1:tp", {4}, {Replicate{}});
  on.overwrite(0, {2, INFINITY, NAN, -4});
  on.show();
  EXPECT_THAT(on.rows(), ElementsAre(" ", "0: 2", "1: inf", "2: nan", "3: -4"));
  EXPECT_EQ(on.panel->figuresText(),
            QStringLiteral("4 elements · -4 to 2 · mean -1 · 1 NaN · 1 infinite"));
  EXPECT_EQ(on.button("largestElement"), QStringLiteral("First non-finite: [1]"));
  on.choose("lookChoice", "Heat map");
  on.frame.grab();
  const ColourScale scale(-4, 2, false);
  EXPECT_TRUE(scale.isDiverging());
  EXPECT_EQ(scale.colour(NAN), ColourScale::odd(false));
  EXPECT_NE(scale.colour(2), ColourScale::odd(false));
}

TEST(Inspector, NamesStatisticsWithoutValues) {
  OnTensor on("2:tp", {2, 2}, {Replicate{}});
  ValueRecord only = *on.journal.value(1, 1, on.journal.size());
  only.data = nullptr;
  only.level = CaptureLevel::Statistics;
  only.statistics = {-1, 3, 0.5, 2, 7};
  on.journal.onValue(only);
  on.show();
  on.choose("rankChoice", "rank 1");
  EXPECT_EQ(on.canvas().emptyText(), QStringLiteral("Only statistics were captured, no values."));
  EXPECT_EQ(on.panel->figuresText(), QStringLiteral("-1 to 3 · mean 0.5 · 2 NaN · 7 zeros"));
  EXPECT_EQ(on.find<QLabel>("elementFigures")->text(), on.panel->figuresText());
}

TEST(Inspector, NamesMissingValues) {
  OnTensor on("2:tp", {2, 2}, {Shard{0}}, {{}, "1"});
  on.show();
  EXPECT_EQ(on.canvas().emptyText(),
            QStringLiteral(
                "No reassembled tensor: other parts are in the recordings of other processes."));
  on.choose("rankChoice", "rank 0");
  EXPECT_EQ(on.canvas().emptyText(), QStringLiteral("In another process's recording."));
  on.choose("rankChoice", "rank 1");
  EXPECT_THAT(on.rows(), ElementsAre(" 0 1", "1: 2 3"));
}

TEST(Inspector, ComparesWithAnotherRankAndWithBefore) {
  OnTensor on("3:tp", {2, 2}, {Replicate{}});
  on.overwrite(1, {0, 1.5, 2, 0});
  on.show();
  on.choose("rankChoice", "rank 1");
  on.choose("againstChoice", "− rank 2");
  EXPECT_THAT(on.rows(), ElementsAre(" 0 1", "0: 0 +0.5", "1: 0 -3"));
  EXPECT_EQ(on.button("largestElement"), QStringLiteral("Differs by 3 at [1, 1]"));
  QTest::mouseClick(on.find<QPushButton>("largestElement"), Qt::LeftButton);
  EXPECT_EQ(on.canvas().current(), (SliceCell{1, 1}));
  EXPECT_EQ(on.canvas().accessibleDescription(),
            QStringLiteral("rank 1, local [1, 1] = 0\nglobal [1, 1]\nrank 2 has 3, difference -3"));
  on.choose("rankChoice", "rank 0");
  EXPECT_EQ(on.find<QComboBox>("againstChoice")->currentText(), QStringLiteral("− rank 2"));
  EXPECT_EQ(on.button("largestElement"), QStringLiteral("No difference"));
  on.choose("againstChoice", "− previous value");
  EXPECT_EQ(on.canvas().emptyText(), QStringLiteral("Nothing to compare with: Not captured."));
}

TEST(Inspector, BeforeIsThePreviousValueOfTheRank) {
  OnLookup on;
  on.go(EventKind::MaskApplied, 0);
  on.choose("inspectedTensor", on.find<QComboBox>("inspectedTensor")->itemText(4));
  on.choose("rankChoice", "rank 1");
  on.choose("againstChoice", "− previous value");
  EXPECT_THAT(on.rows(), ElementsAre(" 0 1 2", "0: -0.73* -1.13* +0.03*", "1: -0.73* -1.13* +0.03*",
                                     "2: 0 0 0", "3: 0 0 0", "4: -0.73* -1.13* +0.03*",
                                     "5: -0.73* -1.13* +0.03*"));
}

TEST(Inspector, CheckLeadsToTheLargestDifference) {
  OnTensor on("2:tp", {4, 2}, {Shard{0}});
  on.show();
  EXPECT_EQ(on.button("plainDifference"), QString());
  Event check;
  check.kind = EventKind::Check;
  check.subject = 1;
  check.step = on.journal.at(on.journal.size()).step;
  check.verdict = Verdict::Differs;
  const auto text = on.journal.strings() + 1;
  on.journal.onString(text, checkDetail({.largest = "0.5",
                                         .relative = "0.1",
                                         .at = {2, 1},
                                         .rank = 1,
                                         .got = "5",
                                         .expected = "4.5"}));
  check.detail = text;
  on.journal.onEvent(on.journal.size() + 1, check);
  on.show();
  EXPECT_EQ(on.button("plainDifference"), QStringLiteral("Differs from plain torch at [2, 1]"));
  QTest::mouseClick(on.find<QPushButton>("plainDifference"), Qt::LeftButton);
  EXPECT_EQ(on.canvas().current(), (SliceCell{2, 1}));
}

TEST(Inspector, ChoosesCopiesAndFollowsAnElementByKeys) {
  OnLookup on;
  on.go(EventKind::Result, 4);
  QSignalSpy requested(on.panel, &Panel::positionRequested);
  on.press(Qt::Key_Down);
  on.press(Qt::Key_Right);
  EXPECT_EQ(on.canvas().current(), (SliceCell{1, 1}));
  on.press(Qt::Key_C, Qt::ControlModifier);
  EXPECT_EQ(QGuiApplication::clipboard()->text(), QStringLiteral("-0.4"));
  on.press(Qt::Key_Right, Qt::ShiftModifier);
  on.press(Qt::Key_Down, Qt::ShiftModifier);
  on.press(Qt::Key_C, Qt::ControlModifier);
  EXPECT_EQ(QGuiApplication::clipboard()->text(), QStringLiteral("-0.4\t-2.02\n-0.97\t-0.37"));
  on.press(Qt::Key_Home, Qt::ControlModifier);
  EXPECT_EQ(on.canvas().current(), (SliceCell{0, 0}));
  on.press(Qt::Key_Up);
  on.press(Qt::Key_Left);
  EXPECT_EQ(on.canvas().current(), (SliceCell{0, 0}));
  on.press(Qt::Key_End, Qt::ControlModifier);
  EXPECT_EQ(on.canvas().current(), (SliceCell{5, 2}));
  on.press(Qt::Key_Return);
  on.wait();
  auto* history = on.find<QTableView>("elementHistory");
  ASSERT_TRUE(history->isVisible());
  EXPECT_EQ(on.find<QLabel>("historyTitle")->text(), QStringLiteral("History of z[5, 2]"));
  history->setFocus();
  history->setCurrentIndex(history->model()->index(0, 0));
  QTest::keyClick(history, Qt::Key_Return);
  ASSERT_EQ(requested.count(), 1);
  EXPECT_EQ(requested[0][0].toUInt(), history->model()->index(0, 0).data().toUInt());
  QTest::keyClick(history, Qt::Key_Escape);
  EXPECT_FALSE(history->isVisible());
  EXPECT_TRUE(on.find<SliceCanvas>("sliceCanvas")->hasFocus());
}

TEST(Inspector, HeatMapIsOneImageAtAnyZoom) {
  OnTensor on("1:tp", {300, 2000}, {Replicate{}});
  on.overwrite(0, std::vector<float>(600000, 1));
  on.show();
  on.choose("lookChoice", "Heat map");
  on.frame.grab();
  const SliceCanvas& canvas = on.canvas();
  EXPECT_EQ(canvas.grid().rowsSeen(), 300);
  EXPECT_EQ(canvas.grid().columnsSeen(), 2000);
  EXPECT_TRUE(canvas.sampledText().endsWith("of 600,000 cells drawn"));
  on.find<SliceCanvas>("sliceCanvas")->zoom(1);
  on.find<SliceCanvas>("sliceCanvas")->zoom(1);
  EXPECT_EQ(canvas.grid().width, 4);
  EXPECT_LT(canvas.grid().columnsSeen(), 2000);
  on.frame.grab();
  EXPECT_EQ(canvas.sampledText(), QString());
  on.press(Qt::Key_0);
  EXPECT_EQ(canvas.grid().columnsSeen(), 2000);
  on.press(Qt::Key_Plus);
  on.press(Qt::Key_End, Qt::ControlModifier);
  EXPECT_EQ(canvas.current(), (SliceCell{299, 1999}));
  EXPECT_EQ(canvas.horizontalScrollBar()->value(), canvas.horizontalScrollBar()->maximum());
}

TEST(Inspector, ClicksHitTheCellAfterResizing) {
  OnLookup on;
  on.go(EventKind::Result, 4);
  auto* canvas = on.find<SliceCanvas>("sliceCanvas");
  Zoom::now().set(1.5);
  const QRectF cell = canvas->grid().rectOf({1, 1});
  QTest::mouseClick(canvas->viewport(), Qt::LeftButton, {}, (cell.center() * 1.5).toPoint());
  Zoom::now().set(1);
  EXPECT_EQ(canvas->current(), (SliceCell{1, 1}));
}

TEST(Inspector, HistogramCountsEveryNumber) {
  OnTensor on("1:tp", {64}, {Replicate{}});
  on.show();
  on.choose("lookChoice", "Histogram");
  EXPECT_TRUE(on.find<ElementHistogram>("elementHistogram")->isVisible());
  EXPECT_THAT(on.panel->scan().bins(), testing::Each(2));
  const auto* histogram = on.find<ElementHistogram>("elementHistogram");
  EXPECT_EQ(histogram->low(), 0);
  EXPECT_EQ(histogram->high(), 63);
}

// The labels of the axes are whole and apart at each size. Zeros do not hide all other values.
TEST(Inspector, HistogramLabelsItsAxes) {
  OnTensor on("1:tp", {640, 640}, {Replicate{}});
  std::vector<float> values(640 * 640, 0);
  for (std::size_t i = 0; i < 64; ++i) values[i] = static_cast<float>(i) * 123456.789F;
  on.overwrite(0, values);
  on.show();
  on.choose("lookChoice", "Histogram");
  auto* histogram = on.find<ElementHistogram>("elementHistogram");
  EXPECT_TRUE(histogram->isLogarithmic());
  for (const QSize size : {QSize(160, 80), QSize(500, 120), QSize(900, 600)}) {
    histogram->resize(size);
    const auto labels = histogram->labels();
    EXPECT_GE(labels.size(), 4U);
    for (const auto& label : labels) {
      EXPECT_FALSE(label.text.contains(QStringLiteral("…")));
      EXPECT_TRUE(QRectF(QPointF(), size).contains(label.rect)) << label.text.toStdString();
      EXPECT_GE(label.rect.width() + 0.5,
                QFontMetricsF(textFont(10)).horizontalAdvance(label.text));
      for (const auto& other : labels) {
        EXPECT_TRUE(&other == &label || !other.rect.intersects(label.rect));
      }
    }
  }
}

TEST(Inspector, ReadsOnlyWhileVisible) {
  OnLookup on;
  on.states = std::make_unique<StateIndex>(on.journal);
  on.panel->setSnapshot(on.journal, on.states->at(on.journal.size()));
  EXPECT_EQ(on.canvas().grid().rows, 0);
  on.frame.show();
  EXPECT_TRUE(QTest::qWaitFor([&] { return on.canvas().grid().rows == 6; }));
  on.panel->setSnapshot(on.journal, on.states->at(0));
  EXPECT_EQ(on.canvas().emptyText(), QStringLiteral("No tensors yet."));
}

TEST(Inspector, OpensFromACellOfShards) {
  Window on;
  writeLookup(on.path("run.shardlens"));
  ASSERT_TRUE(on.open(on.path("run.shardlens")));
  on.window.activateWindow();
  ASSERT_TRUE(QTest::qWaitForWindowActive(&on.window));
  auto* shards = on.find<ShardsCanvas>("shardsCanvas");
  Journal journal;
  recordLookup(journal);
  on.window.cursor().moveTo(LookupRun::find(journal, EventKind::Result, 0));
  ASSERT_TRUE(QTest::qWaitFor([&] { return shards->view().record->name == "w"; }));
  auto* panel = on.find<InspectorPanel>("inspectorPanel");
  EXPECT_TRUE(panel->visibleRegion().isEmpty());
  const QPointF cell = shards->scene().cards[1].cells[4].rect.center() + QPointF(12, 12);
  QTest::mouseDClick(shards, Qt::LeftButton, {}, cell.toPoint());
  ASSERT_TRUE(QTest::qWaitFor([&] { return !panel->visibleRegion().isEmpty(); }));
  EXPECT_EQ(on.find<QComboBox>("rankChoice")->currentText(), QStringLiteral("rank 1"));
  EXPECT_EQ(panel->canvas().current(), (SliceCell{1, 1}));
  EXPECT_EQ(panel->canvas().headingOfRow(1), QStringLiteral("4"));
  shards->setFocus();
  QTest::keyClick(shards, Qt::Key_Right);
  QTest::keyClick(shards, Qt::Key_Up);
  QTest::keyClick(shards, Qt::Key_Return);
  EXPECT_EQ(panel->canvas().current(), (SliceCell{0, 2}));
  EXPECT_TRUE(on.find<SliceCanvas>("sliceCanvas")->hasFocus());
}

}  // namespace
}  // namespace shardlens
