#include "ui/scenes/shard_slice.h"

#include "tests/ui/support/laid.h"
#include "ui/scenes/colour.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace shardlens {
namespace {

using testing::ElementsAre;

// Returns the row dimension and the column dimension of the default slice.
std::vector<int> dimsOf(const char* mesh, const Shape& shape, const Placements& placements) {
  const Laid laid = tensor(mesh, shape, placements);
  const TensorSlice slice = firstSlice(*laid.view.record);
  return {slice.rowDim(), slice.columnDim()};
}

// Lays the tensor out again with this slice.
ShardsScene laidBy(const Laid& laid, const TensorSlice& slice) {
  const Snapshot snapshot = laid.states->at(laid.journal.size());
  const ShardsSource source(laid.journal, snapshot, laid.view, slice, false);
  ShardsScene scene = layoutShards(source, kArea);
  layCells(source, scene, QRectF(QPointF(), scene.size));
  return scene;
}

std::vector<std::int64_t> elementsOf(const ShardCard& card) {
  std::vector<std::int64_t> all;
  for (const ShardCell& cell : card.cells) {
    all.push_back(cell.flat);
  }
  return all;
}

TEST(ShardSlice, StartsWithTheShardedDimensions) {
  EXPECT_THAT(dimsOf("2:tp", {}, {Replicate{}}), ElementsAre(-1, -1));
  EXPECT_THAT(dimsOf("2:tp", {8}, {Shard{0}}), ElementsAre(0, -1));
  EXPECT_THAT(dimsOf("2:tp", {4, 4}, {Shard{1}}), ElementsAre(0, 1));
  EXPECT_THAT(dimsOf("2:tp", {2, 3, 4}, {Replicate{}}), ElementsAre(1, 2));
  EXPECT_THAT(dimsOf("2:tp", {2, 3, 4}, {Shard{0}}), ElementsAre(0, 2));
  EXPECT_THAT(dimsOf("2:tp", {2, 3, 4}, {Shard{2}}), ElementsAre(1, 2));
  EXPECT_THAT(dimsOf("2x2:dp,tp", {4, 3, 4, 2}, {Shard{2}, Shard{0}}), ElementsAre(0, 2));
  EXPECT_THAT(dimsOf("2x2:dp,tp", {8, 3, 4}, {StridedShard{0, 2}, Shard{0}}), ElementsAre(0, 2));
}

TEST(ShardSlice, ThreeDimensionalShardShowsOneIndex) {
  // [4, 3, 2] is sharded on dim 0: rank 1 has its indices 2 and 3.
  const Laid laid = tensor("2:tp", {4, 3, 2}, {Shard{0}});
  TensorSlice slice = firstSlice(*laid.view.record);
  ShardsScene scene = laidBy(laid, slice);
  EXPECT_THAT(elementsOf(scene.cards[1]), ElementsAre(0, 1, 6, 7));
  EXPECT_THAT(labelsOf(scene.cards[1]), ElementsAre(QStringLiteral("2"), QStringLiteral("3")));
  slice.setIndex(1, 2);
  scene = laidBy(laid, slice);
  EXPECT_THAT(elementsOf(scene.cards[1]), ElementsAre(4, 5, 10, 11));
  EXPECT_THAT(textsOf(scene.cards[1]), ElementsAre(QStringLiteral("16"), QStringLiteral("17"),
                                                   QStringLiteral("22"), QStringLiteral("23")));
  EXPECT_EQ(scene.cards[1].cells[0].fill, elementColour(2 * 3 + 2, 12, 0, false));
}

TEST(ShardSlice, RankOutsideTheSliceIsMarked) {
  const Laid laid = tensor("2:tp", {4, 3, 2}, {Shard{0}});
  TensorSlice slice(Shape{4, 3, 2});  // of the last two, at index 0
  ShardsScene scene = laidBy(laid, slice);
  EXPECT_THAT(elementsOf(scene.cards[0]), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_TRUE(scene.cards[1].cells.empty());
  EXPECT_EQ(scene.cards[1].empty, QStringLiteral("outside\nthis slice"));
  slice.setIndex(0, 3);
  scene = laidBy(laid, slice);
  EXPECT_TRUE(scene.cards[0].cells.empty());
  EXPECT_THAT(elementsOf(scene.cards[1]), ElementsAre(6, 7, 8, 9, 10, 11));
}

TEST(ShardSlice, AnyTwoDimensionsCanBeRowsAndColumns) {
  const Laid laid = tensor("2:tp", {2, 3, 4}, {Replicate{}});
  TensorSlice slice(Shape{2, 3, 4});
  slice.setRowDim(2);
  slice.setColumnDim(0);
  slice.setIndex(1, 1);
  const ShardsScene scene = laidBy(laid, slice);
  EXPECT_THAT(elementsOf(scene.cards[0]), ElementsAre(4, 16, 5, 17, 6, 18, 7, 19));
}

TEST(ShardSlice, StridedRowsOfASliceStayInterleaved) {
  const Laid laid = tensor("2x2:dp,tp", {8, 2, 3}, {StridedShard{0, 2}, Shard{0}});
  EXPECT_THAT(labelsOf(laid.scene.cards[1]), ElementsAre(QStringLiteral("4"), QStringLiteral("5")));
  EXPECT_THAT(labelsOf(laid.scene.cards[2]), ElementsAre(QStringLiteral("2"), QStringLiteral("3")));
}

TEST(Padding, FillsUpToTheLargestShard) {
  const Laid laid = tensor("4:tp", {5, 2}, {Shard{0}});  // 2, 2, 1 and 0 rows
  EXPECT_TRUE(laid.scene.cards[0].padding.empty());
  ASSERT_EQ(laid.scene.cards[2].padding.size(), 1U);
  const ShardCard& card = laid.scene.cards[2];
  const QRectF padding = card.padding[0];
  EXPECT_NEAR(padding.height(), card.cells[0].rect.height(), 1e-6);  // one row
  EXPECT_GT(padding.top(), card.cells[1].rect.bottom());
  EXPECT_NEAR(padding.left(), card.cells[0].rect.left(), 1e-6);
  EXPECT_NEAR(padding.right(), card.cells[1].rect.right(), 1e-6);
  EXPECT_TRUE(card.body.adjusted(0, 0, 0.01, 0.01).contains(padding));
  EXPECT_EQ(card.paddingText,
            QStringLiteral(
                "1 row fewer than the largest shard; DTensor pads the shard before sending it"));
  EXPECT_TRUE(laid.scene.cards[3].padding.empty());  // the card shows that it is empty
}

TEST(Padding, IsBelowAndBesideForTwoDimensions) {
  const Laid laid = tensor("2x2:dp,tp", {5, 3}, {Shard{0}, Shard{1}});
  EXPECT_EQ(laid.scene.cards[1].padding.size(), 1U);
  EXPECT_EQ(laid.scene.cards[3].padding.size(), 2U);
  EXPECT_EQ(laid.scene.cards[3].paddingText,
            QStringLiteral("1 row and 1 column fewer than the largest shard; DTensor pads the "
                           "shard before sending it"));
  for (const ShardCell& cell : laid.scene.cards[3].cells) {
    for (const QRectF& padding : laid.scene.cards[3].padding) {
      EXPECT_FALSE(cell.rect.intersects(padding));
    }
  }
}

TEST(Padding, IsEmptyForEqualOrUnknownShards) {
  for (const Laid& laid : {tensor("4:tp", {8, 2}, {Shard{0}}), tensor("4:tp", {5, 2}, {Partial{}}),
                           tensor("2x2:dp,tp", {8}, {StridedShard{0, 2}, Shard{0}})}) {
    for (const ShardCard& card : laid.scene.cards) {
      EXPECT_TRUE(card.padding.empty());
      EXPECT_EQ(card.paddingText, QString());
    }
  }
}

TEST(Figures, ReplaceNumbersInSmallCards) {
  const Laid large = tensor("2:tp", {100, 100}, {Shard{0}});
  EXPECT_EQ(large.scene.cards[1].figures, QStringLiteral("5e+03 to 1e+04, mean 7.5e+03"));
  EXPECT_FALSE(large.scene.cards[1].figuresRect.intersects(large.scene.cards[1].body));
  EXPECT_FALSE(large.scene.cards[1].figuresRect.intersects(large.scene.cards[1].footRect) &&
               !large.scene.cards[1].foot.isEmpty());
  const Laid small = tensor("2:tp", {4, 2}, {Shard{0}});
  EXPECT_EQ(small.scene.cards[1].figures, QString());
}

TEST(Figures, ShardWithStatisticsOnlyIsColoured) {
  const Laid laid = tensor("2:tp", {400, 200}, {Shard{0}});  // more than 64 KiB each
  const ShardCard& card = laid.scene.cards[1];
  ASSERT_FALSE(laid.view.parts[1].hasData());
  ASSERT_FALSE(card.cells.empty());
  EXPECT_EQ(card.empty, QString());
  EXPECT_EQ(card.cells[0].fill, elementColour(200, 400, 0, false));
  EXPECT_EQ(card.cells[0].text, QString());
  EXPECT_EQ(card.figures, QStringLiteral("4e+04 to 8e+04, mean 6e+04"));
}

TEST(Magnified, EveryElementGetsACell) {
  const Laid laid = tensor("2:tp", {1000, 100}, {Shard{0}});
  const Snapshot snapshot = laid.states->at(laid.journal.size());
  const ShardsSource source(laid.journal, snapshot, laid.view, firstSlice(*laid.view.record),
                            false);
  const ShardsScene usual = layoutShards(source, kArea);
  ASSERT_LT(usual.cards[0].rows, 500);
  EXPECT_NE(usual.cards[0].foot, QString());
  ShardsScene most = layoutShards(source, kArea, usual.sizes.most);
  EXPECT_EQ(most.cards[0].rows, 500);
  EXPECT_EQ(most.cards[0].columns, 100);
  EXPECT_EQ(most.cards[0].foot, QString());
  EXPECT_GT(most.sizes.characters, 0);
  EXPECT_EQ(layoutShards(source, kArea, 1000).size, most.size);  // the limit
  // Only visible cells are laid out: here an area of 300 by 200 in the middle of the first card.
  const QRectF seen(most.cards[0].rect.center(), QSizeF(300, 200));
  layCells(source, most, seen);
  EXPECT_LT(most.cards[0].cells.size(), 100U);
  EXPECT_TRUE(most.cards[1].cells.empty());
  EXPECT_GE(most.cards[0].firstCell.y(), 240);
  for (const ShardCell& cell : most.cards[0].cells) {
    EXPECT_TRUE(seen.adjusted(-2, -2, 2, 2).intersects(cell.rect));
  }
}

TEST(Magnified, AllRanksFitAtTheSmallestScale) {
  for (const char* mesh : {"1:tp", "4:tp", "64:tp", "512:tp", "4096:tp"}) {
    const Laid laid = tensor(mesh, {4096, 8}, {Shard{0}});
    const Snapshot snapshot = laid.states->at(laid.journal.size());
    const ShardsSource source(laid.journal, snapshot, laid.view, firstSlice(*laid.view.record),
                              false);
    for (const QSizeF area : {QSizeF(900, 480), QSizeF(480, 240)}) {
      const ShardsScene scene = layoutShards(source, area, Magnifier::kAll);
      EXPECT_LE(scene.size.width(), area.width() + 0.01) << mesh;
      EXPECT_LE(scene.size.height(), area.height() + 0.01) << mesh;
      for (const ShardCard& card : scene.cards) {
        EXPECT_GE(card.body.width(), 1) << mesh;
        EXPECT_GE(card.body.height(), 1) << mesh;
        EXPECT_GT(card.rows * card.columns, 0) << mesh;
      }
    }
  }
}

}  // namespace
}  // namespace shardlens
