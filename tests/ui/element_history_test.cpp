// Tests the history of an element in the Inspector, over all ranks.
#include "core/query/history/element_history.h"

#include "tests/ui/support/inspecting.h"
#include "tests/ui/support/model_text.h"

#include <gmock/gmock.h>

#include <QLabel>
#include <QTableView>

namespace shardlens {
namespace {

TEST(Inspector, HistoryShowsTheValueOnEachRank) {
  OnLookup on;
  on.go(EventKind::Result, 4);
  on.find<SliceCanvas>("sliceCanvas")->setCurrent({2, 1});
  on.press(Qt::Key_Return);
  on.wait();
  EXPECT_EQ(modelText(*on.find<QTableView>("elementHistory")->model()),
            "6 | produced | aten.embedding | \n"
            "12 | masked | mask #1 materialized | \n"
            "15 | masked | mask #1 materialized | \n"
            "16 | produced | result y: MaskP | 1.25 (masked) at [2, 1] of rank 0; "
            "-0.97 at [2, 1] of rank 1; -0.24 (masked) at [2, 1] of rank 2; "
            "-0.4 (masked) at [2, 1] of rank 3\n"
            "17 | masked | mask #1 released | \n"
            "19 | moved | redistribute y: MaskP → R | \n"
            "22 | masked | mask #1 applied to y | 0 (masked) at [2, 1] of ranks 0, 2, 3; "
            "-0.97 at [2, 1] of rank 1\n"
            "23 | reduced | all_reduce over tp | \n"
            "24 | masked | mask #1 released | \n"
            "25 | moved | result z: R | -0.97 at [2, 1] of ranks 0–3\n");
}

TEST(Inspector, HistoryDoesNotDependOnTheSliceSize) {
  Journal journal;
  recordLookup(journal);
  for (TensorId tensor = 1; tensor <= journal.tensors(); ++tensor) {
    ElementHistorySearch search(journal, tensor);
    EventId calls = 1;
    for (; search.advance(1); ++calls) {
    }
    EXPECT_EQ(search.found(), elementHistory(journal, tensor)) << tensor;
    EXPECT_GT(calls, journal.size());
    EXPECT_FALSE(search.advance(1));
  }
}

TEST(Inspector, HistoryReplacesTheCellsInASmallPanel) {
  OnLookup on;
  on.frame.resize(330, 320);
  on.go(EventKind::Result, 4);
  on.press(Qt::Key_Return);
  on.wait();
  EXPECT_FALSE(on.find<SliceCanvas>("sliceCanvas")->isVisible());
  QTest::keyClick(QApplication::focusWidget(), Qt::Key_Escape);
  EXPECT_TRUE(on.find<SliceCanvas>("sliceCanvas")->isVisible());
  EXPECT_TRUE(on.find<SliceCanvas>("sliceCanvas")->hasFocus());
  on.frame.resize(330, 700);
  on.press(Qt::Key_Return);
  on.wait();
  EXPECT_TRUE(on.find<SliceCanvas>("sliceCanvas")->isVisible());
}

TEST(Inspector, EachClickedCellHasItsOwnHistory) {
  OnLookup on;
  on.go(EventKind::Result, 4);
  auto* canvas = on.find<SliceCanvas>("sliceCanvas");
  const auto click = [&](const SliceCell& cell) {
    QTest::mouseClick(canvas->viewport(), Qt::LeftButton, {},
                      canvas->grid().rectOf(cell).center().toPoint());
    on.wait();
  };
  click({1, 0});
  EXPECT_EQ(on.find<QLabel>("historyTitle")->text(), QStringLiteral("History of z[1, 0]"));
  click({0, 2});
  EXPECT_EQ(on.find<QLabel>("historyTitle")->text(), QStringLiteral("History of z[0, 2]"));
  QTest::mouseClick(on.find<QPushButton>("closeHistory"), Qt::LeftButton);
  EXPECT_FALSE(on.find<QTableView>("elementHistory")->isVisible());
}

TEST(Inspector, AGrowingJournalAddsToTheHistory) {
  Journal whole;
  recordLookup(whole);
  OnLookup on;
  on.go(EventKind::Result, 4);
  on.press(Qt::Key_Return);
  on.wait();
  const int before = on.find<QTableView>("elementHistory")->model()->rowCount();
  Event read;
  read.kind = EventKind::Operator;
  read.inputs = 1;
  const TensorId z = LookupRun::tensor(on.journal, "z");
  on.journal.onEvent(on.journal.size() + 1, read, {&z, 1});
  on.panel->setSnapshot(on.journal, on.states->at(on.journal.size() - 1));
  on.wait();
  EXPECT_EQ(on.find<QTableView>("elementHistory")->model()->rowCount(), before + 1);
}

}  // namespace
}  // namespace shardlens
