#include "ui/scenes/shard_card.h"

#include "tests/ui/support/laid.h"
#include "ui/scenes/cell_text.h"
#include "ui/scenes/colour.h"

#include <gmock/gmock.h>

#include <QFontMetricsF>
#include <cmath>
#include <set>

namespace shardlens {
namespace {

using testing::ElementsAre;
using testing::IsSupersetOf;

TEST(ShardCard, AnEmptyShardIsAnEmptyFrame) {
  const Laid laid = tensor("4:tp", {5, 2}, {Shard{0}});  // 2, 2, 1, 0 rows
  EXPECT_EQ(laid.scene.cards[2].cells.size(), 2U);
  EXPECT_TRUE(laid.scene.cards[3].cells.empty());
  EXPECT_EQ(laid.scene.cards[3].empty, QStringLiteral("empty: the\nrows end at 4"));
  EXPECT_TRUE(laid.scene.cards[0].empty.isEmpty());
  EXPECT_EQ(laid.whole.values.size(), 10U);
  EXPECT_EQ(laid.whole.missing, 0);
}

TEST(ShardCard, RanksOutsideTheMeshAreEmpty) {
  const auto mesh = DeviceMesh::make({3}, {"pp"}, {3, 0, 5}).value();
  const Laid laid = tensor("2x4:dp,tp", {4, 2}, {Shard{0}}, {mesh});
  ASSERT_EQ(laid.scene.cards.size(), 4U);
  EXPECT_EQ(laid.scene.cards[0].title, QStringLiteral("rank 3"));
  EXPECT_EQ(laid.scene.cards[0].note, QStringLiteral("rows 0–1"));
  EXPECT_EQ(laid.scene.cards[1].title, QStringLiteral("rank 0"));
  EXPECT_EQ(laid.scene.cards[2].empty, QStringLiteral("empty: the\nrows end at 3"));
  EXPECT_EQ(laid.scene.cards[3].title, QStringLiteral("ranks 1, 2, 4, 6, 7"));
  EXPECT_EQ(laid.scene.cards[3].empty, QStringLiteral("not in\nthis mesh"));
  EXPECT_TRUE(laid.scene.cards[3].sheets.empty());
  EXPECT_FALSE(laid.scene.cards[3].changed);
  EXPECT_THAT(laid.whole.values, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
}

TEST(ShardCard, RanksOfOtherProcessesAreNotEmpty) {
  const Laid cut = tensor("2x2:dp,tp", {4, 2}, {Shard{0}, Replicate{}}, {{}, "0,1"});
  ASSERT_EQ(cut.scene.cards.size(), 2U);
  EXPECT_TRUE(cut.scene.cards[0].empty.isEmpty());
  EXPECT_EQ(cut.scene.cards[1].title, QStringLiteral("ranks 2, 3"));
  EXPECT_EQ(cut.scene.cards[1].note, QStringLiteral("rows 2–3"));
  EXPECT_EQ(cut.scene.cards[1].empty, QStringLiteral("in another process's\nrecording"));
  EXPECT_FALSE(cut.scene.cards[1].changed);
  EXPECT_TRUE(cut.whole.values.empty());
  EXPECT_EQ(cut.whole.missing, 0);
}

TEST(ShardCard, PrefersTheCopyOfThisProcess) {
  const Laid laid = tensor("2x2:dp,tp", {4, 2}, {Replicate{}, Shard{0}}, {{}, "2,3"});
  ASSERT_EQ(laid.scene.cards.size(), 2U);
  EXPECT_EQ(laid.scene.cards[0].title, QStringLiteral("ranks 0, 2"));
  EXPECT_EQ(laid.scene.cards[0].cells[0].text, QStringLiteral("0"));
  EXPECT_THAT(laid.whole.values, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
}

TEST(ShardCard, CopiesAreDrawnOnceWithSheets) {
  const Laid laid = tensor("2x2:dp,tp", {4, 2}, {Replicate{}, Shard{0}});
  ASSERT_EQ(laid.scene.cards.size(), 2U);
  EXPECT_EQ(laid.scene.cards[0].title, QStringLiteral("ranks 0, 2"));
  EXPECT_EQ(laid.scene.cards[0].sheets.size(), 1U);
  EXPECT_EQ(laid.scene.cards[1].title, QStringLiteral("ranks 1, 3"));
  EXPECT_TRUE(laid.whole.copiesAgree);
}

// A replicated [2, 2] tensor on four ranks; rank 2 has 5 where the others have 3.
Laid oneWrongCopy(QSizeF area = kArea) {
  Laid laid;
  recordTensor(laid.journal, "4:tp", {2, 2}, {Replicate{}});
  overwrite(laid.journal, 2, {0, 1, 2, 5});
  laid.at(laid.journal.size(), 1, area);
  return laid;
}

TEST(ShardCard, DifferentCopiesAreDrawnSeparately) {
  const Laid laid = oneWrongCopy();
  EXPECT_FALSE(laid.whole.copiesAgree);
  EXPECT_THAT(laid.whole.values, ElementsAre(0, 1, 2, 3));  // the value of most ranks
  ASSERT_EQ(laid.scene.cards.size(), 2U);
  const ShardCard& most = laid.scene.cards[0];
  const ShardCard& odd = laid.scene.cards[1];
  EXPECT_EQ(most.title, QStringLiteral("ranks 0, 1, 3"));
  EXPECT_EQ(most.sheets.size(), 2U);
  EXPECT_EQ(most.note, QStringLiteral("copies differ"));
  EXPECT_EQ(odd.title, QStringLiteral("rank 2"));
  EXPECT_EQ(odd.note, QStringLiteral("[1, 1]: 5, not 3"));
  EXPECT_TRUE(most.differs && odd.differs);
  EXPECT_EQ(most.unlike, -1);
  EXPECT_EQ(odd.unlike, 0);
  EXPECT_EQ(textsOf(odd)[3], QStringLiteral("5"));
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(odd.cells[i].differs, i == 3);
    EXPECT_FALSE(most.cells[i].differs);
  }
  EXPECT_FALSE(odd.rect.intersects(most.rect.adjusted(0, 0, 15, 15)));  // nor its sheets
}

// Without elements, hashes or statistics tell copies apart.
TEST(ShardCard, CopiesOfOtherStatisticsAreDrawnSeparately) {
  const auto titles = [](CaptureLevel level, std::uint64_t hash, double mean) {
    Laid laid;
    recordTensor(laid.journal, "3:tp", {2, 2}, {Replicate{}});
    for (const int rank : {0, 1, 2}) {
      ValueRecord value = *laid.journal.value(1, rank, laid.journal.size());
      value.data = nullptr;
      value.level = level;
      value.statistics = {.min = NAN, .max = NAN, .mean = rank == 2 ? mean : NAN, .nans = 1};
      value.hash = rank == 2 ? hash : 7;
      laid.journal.onValue(value);
    }
    laid.at(laid.journal.size(), 1);
    std::vector<std::string> texts;
    for (const ShardCard& card : laid.scene.cards) {
      texts.push_back((card.title + u'|' + card.note).toStdString());
    }
    return texts;
  };
  const auto equal = ElementsAre("ranks 0–2|3 copies");
  const auto differing = ElementsAre("ranks 0, 1|copies differ", "rank 2|other values");
  EXPECT_THAT(titles(CaptureLevel::Statistics, 0, NAN), equal);
  EXPECT_THAT(titles(CaptureLevel::Statistics, 0, 0.5), differing);
  EXPECT_THAT(titles(CaptureLevel::Hashes, 7, NAN), equal);
  EXPECT_THAT(titles(CaptureLevel::Hashes, 8, NAN), differing);
}

TEST(ShardCard, EqualCopiesShareACard) {
  Laid laid;
  recordTensor(laid.journal, "4:tp", {2, 2}, {Replicate{}});
  overwrite(laid.journal, 1, {0, 1, NAN, 3});
  overwrite(laid.journal, 0, {0, 1, NAN, 3});
  overwrite(laid.journal, 2, {0, 1, NAN, 3});
  overwrite(laid.journal, 3, {0, 1, NAN, 3});
  laid.at(laid.journal.size(), 1);
  ASSERT_EQ(laid.scene.cards.size(), 1U);
  EXPECT_TRUE(laid.whole.copiesAgree);
  EXPECT_EQ(laid.whole.nans, 1);
  EXPECT_TRUE(laid.scene.cards[0].cells[2].odd);
  EXPECT_FALSE(laid.scene.cards[0].cells[1].odd);
}

TEST(ShardCard, MaskedRowsAreHatchedUntilTheyAreReduced) {
  Laid laid = lookup(EventKind::Result, 3, "y");
  const auto masked = [&](std::size_t card) {
    std::vector<bool> rows;
    for (std::size_t row = 0; row < 6; ++row) {
      rows.push_back(laid.scene.cards[card].cells[row * 3].masked);
    }
    return rows;
  };
  // Ids 0 9 4 4 2 7; rank 0 owns 0-2, rank 1 owns 3-5.
  EXPECT_THAT(masked(0), ElementsAre(false, true, true, true, false, true));
  EXPECT_THAT(masked(1), ElementsAre(true, true, false, false, true, true));
  laid.at(LookupRun::find(laid.journal, EventKind::MaskApplied),
          LookupRun::tensor(laid.journal, "y"));
  EXPECT_THAT(masked(1), ElementsAre(true, true, false, false, true, true));
  EXPECT_EQ(laid.scene.cards[1].cells[0].text, QStringLiteral("0"));
  laid.at(laid.journal.size(), LookupRun::tensor(laid.journal, "z"));
  ASSERT_EQ(laid.scene.cards.size(), 1U);
  EXPECT_FALSE(laid.scene.cards[0].cells[0].masked);
}

TEST(ShardCard, LookupRowKeepsTheColourOfItsTableRow) {
  Laid laid = lookup(EventKind::Result, 0, "w");
  const QColor row4 = laid.scene.cards[1].cells[3].fill;
  EXPECT_EQ(row4, elementColour(4, 10, 0, false));
  laid.at(LookupRun::find(laid.journal, EventKind::Result, 3),
          LookupRun::tensor(laid.journal, "y"));
  EXPECT_EQ(laid.scene.cards[1].cells[6].fill, row4);  // id 4, owned by rank 1
  EXPECT_EQ(laid.scene.cards[1].cells[0].fill,
            elementColour(3, 10, 0, false));  // masked: its row 0
  laid.at(laid.journal.size(), LookupRun::tensor(laid.journal, "z"));
  EXPECT_EQ(laid.scene.cards[0].cells[6].fill, row4);
}

TEST(ShardCard, LookupRowsAreLabelledWithTheirIds) {
  const Laid laid = lookup(EventKind::Result, 3, "y");
  const ShardCard& card = laid.scene.cards[0];
  EXPECT_THAT(labelsOf(card),
              ElementsAre(QStringLiteral("0"), QStringLiteral("9"), QStringLiteral("4"),
                          QStringLiteral("4"), QStringLiteral("2"), QStringLiteral("7")));
  EXPECT_TRUE(card.labels[0].strong);
  EXPECT_FALSE(card.labels[1].strong);
  EXPECT_EQ(card.note, QStringLiteral("ids 0–2"));
  EXPECT_EQ(laid.scene.cards[3].note, QStringLiteral("id 9"));
}

TEST(ShardCard, NoNumberIsWiderThanItsCell) {
  Laid laid = tensor("2:tp", {2, 2}, {Shard{0}});
  overwrite(laid.journal, 0, {-0.123456789F, -1234567.9F});
  QString longest;
  for (double width = 100; width < 1400; width += 20) {
    laid.at(laid.journal.size(), 1, QSizeF(width, 400));
    for (const ShardCell& cell : laid.scene.cards[0].cells) {
      const QFontMetricsF metrics(cellFont(cell.rect.width()));
      EXPECT_LE(metrics.horizontalAdvance(cell.text), cell.rect.width()) << cell.text.toStdString();
    }
    const QString& text = laid.scene.cards[0].cells[0].text;
    if (text.size() > longest.size()) longest = text;
  }
  EXPECT_EQ(longest, QStringLiteral("-0.12346"));
}

TEST(ShardCard, ManyCopiesAreNamedByTheFirstRank) {
  const Laid laid = tensor("8x8x8:pp,dp,tp", {64, 64}, {Replicate{}, Shard{1}, Replicate{}});
  ASSERT_EQ(laid.scene.cards.size(), 8U);
  EXPECT_EQ(laid.scene.cards[1].title, QStringLiteral("rank 8 + 63 more"));
  EXPECT_EQ(laid.scene.cards[1].ranks.back(), 463);
}

TEST(ShardCard, LargeCellsShowValues) {
  const Laid laid = lookup(EventKind::Result, 0, "w");
  EXPECT_THAT(
      textsOf(laid.scene.cards[3]),
      ElementsAre(QStringLiteral("-0.85"), QStringLiteral("-0.4"), QStringLiteral("-2.02")));
  const Laid narrow = tensor("4:tp", {12, 40}, {Shard{0}});
  EXPECT_EQ(narrow.scene.cards[3].cells[0].text, QString());
}

TEST(ShardCard, SampledCellsNameTheirCount) {
  const Laid laid = tensor("2:tp", {60, 400}, {Shard{0}});  // at most 64 KiB are captured
  EXPECT_LE(laid.scene.size.height(), 400.01);
  const ShardCard& card = laid.scene.cards[0];
  EXPECT_EQ(card.foot, QStringLiteral("100 of 400 cols drawn"));
  std::int64_t elements = 0;
  for (const ShardCell& cell : card.cells) {
    elements += cell.rows * cell.columns;
    EXPECT_FALSE(card.footRect.intersects(cell.rect));
  }
  EXPECT_EQ(elements, 12000);  // each element belongs to a cell
  const Laid small = tensor("2:tp", {20, 10}, {Shard{0}});
  EXPECT_EQ(small.scene.cards[0].foot, QString());
  EXPECT_EQ(small.scene.cards[0].cells.size(), 100U);
}

// Returns the global index of the first row of each cell.
std::vector<std::int64_t> rowsOf(const Laid& laid, const ShardCard& card) {
  std::vector<std::int64_t> rows;
  for (const ShardCell& cell : card.cells) {
    rows.push_back(globalIndex(laid.view.parts[0].runs[0], cell.flat));
  }
  return rows;
}

// Rank 0 has the rows 0-24, 50-74, ... For any number of cells, each stands for contiguous rows,
// and no row before the last drawn one is skipped.
TEST(ShardCard, SamplingShowsStrides) {
  Laid laid = tensor("2x2:dp,tp", {400}, {StridedShard{0, 8}, Shard{0}});
  std::set<std::size_t> drawn;
  for (double height = 100; height <= 1600; height += 20) {
    laid.at(laid.journal.size(), 1, QSizeF(800, height));
    const ShardCard& card = laid.scene.cards[0];
    std::int64_t next = 0;
    for (const ShardCell& cell : card.cells) {
      EXPECT_EQ(cell.flat, next);
      EXPECT_EQ(cell.flat / 25, (cell.flat + cell.rows - 1) / 25) << card.cells.size() << " cells";
      next += cell.rows;
    }
    EXPECT_EQ(next, 100);
    drawn.insert(card.cells.size());
  }
  EXPECT_THAT(drawn, IsSupersetOf({16U, 20U, 100U}));
  laid.at(laid.journal.size(), 1, QSizeF(800, 100));
  EXPECT_THAT(rowsOf(laid, laid.scene.cards[0]),
              ElementsAre(0, 7, 14, 21, 50, 57, 64, 71, 100, 107, 114, 121, 150, 157, 164, 171));
}

// If a shard has every second row, the cells show consecutive rows of the shard from the first on.
TEST(ShardCard, SingleRowStrideStartsAtTheFirstRow) {
  const Laid laid = tensor("2:tp", {400}, {StridedShard{0, 200}});
  const auto rows = rowsOf(laid, laid.scene.cards[0]);
  ASSERT_GE(rows.size(), 16U);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i], static_cast<std::int64_t>(2 * i));
  }
}

TEST(ShardCard, OmittedRowsAreCounted) {
  const Laid laid = tensor("2:tp", {800}, {StridedShard{0, 200}});  // 200 runs of two
  EXPECT_EQ(laid.view.parts[0].runs[0].size(), 200U);
  const ShardCard& card = laid.scene.cards[0];
  EXPECT_EQ(card.foot, QStringLiteral("%1 of 400 rows drawn").arg(card.cells.size()));
  EXPECT_LT(card.cells.size(), 200U);
}

// Rank 0 masks the first 32 of 64 ids, and every fourth of the others.
TEST(ShardCard, PartlyMaskedSampleIsPartlyHatched) {
  Laid laid = tensor("1:tp", {64}, {Replicate{}});
  for (std::size_t row = 0; row < 64; ++row) {
    laid.view.parts[0].away.push_back(row < 32 || row % 4 == 0);
  }
  const Snapshot& snapshot = laid.states->at(laid.journal.size());
  const ShardsSource source(laid.journal, snapshot, laid.view, firstSlice(*laid.view.record),
                            false);
  ShardsScene scene = layoutShards(source, QSizeF(300, 100));
  layCells(source, scene, QRectF(QPointF(), scene.size));
  ASSERT_EQ(scene.cards[0].cells.size(), 16U);
  EXPECT_EQ(scene.cards[0].foot, QStringLiteral("16 of 64 rows drawn"));
  EXPECT_EQ(scene.cards[0].cells[0].masked, 1);
  EXPECT_EQ(scene.cards[0].cells[8].masked, 0.25);
  EXPECT_EQ(laid.scene.cards[0].cells[0].masked, 0);
}

TEST(ShardCard, SmallCardsUseShorterText) {
  Laid small = tensor("64:tp", {60, 4}, {Shard{0}});
  EXPECT_EQ(small.scene.cards[63].empty, QStringLiteral("empty"));
  small = tensor("64:tp", {64, 64}, {Shard{0}});
  small.at(small.journal.size(), 1, QSizeF(560, 200));
  EXPECT_EQ(small.scene.cards[0].foot, QStringLiteral("16/64"));
}

TEST(ShardCard, OwnersNameTheShardedDimensions) {
  const Laid laid = tensor("2x2:dp,tp", {4, 2, 6}, {Shard{0}, Shard{2}});
  EXPECT_EQ(laid.scene.cards[1].fullNote, QStringLiteral("dim 0: 0–1, dim 2: 3–5"));
  EXPECT_EQ(tensor("3:tp", {2, 2, 7}, {Shard{0}}).scene.cards[2].empty,
            QStringLiteral("empty: the\nindices of dim 0 end at 1"));
  EXPECT_EQ(tensor("2:tp", {0, 2}, {Shard{0}}).scene.cards[0].empty,
            QStringLiteral("empty: there\nare no rows"));
}

TEST(ShardCard, IdHasTheColourOfItsRow) {
  // Ids 0 9 4 4 2 7 of a table of ten rows.
  const Laid ids = lookup(EventKind::Result, 3, "x");
  const auto row = [](int index) { return elementColour(index, 10, 0.4, false); };
  EXPECT_EQ(ids.scene.cards[0].cells[1].fill, row(9));
  EXPECT_EQ(ids.scene.cards[0].cells[2].fill, ids.scene.cards[0].cells[3].fill);
  const Laid early = lookup(EventKind::Result, 1, "x");  // the table is known from the program
  EXPECT_EQ(early.scene.cards[0].cells[1].fill, row(9));
  const Laid local = lookup(EventKind::Result, 3, "x'");
  EXPECT_EQ(local.scene.cards[3].cells[1].fill, row(9));  // local index 0 on rank 3
  EXPECT_EQ(local.scene.cards[1].cells[2].fill, row(4));  // local index 1 on rank 1
}

}  // namespace
}  // namespace shardlens
