#include "ui/scenes/shards_scene.h"

#include "core/trace/snapshot/state_index.h"
#include "tests/ui/support/laid.h"
#include "ui/scenes/assembled.h"
#include "ui/scenes/colour.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <tuple>

namespace shardlens {
namespace {

using testing::ElementsAre;

TEST(ShardsScene, AStridedShardIsInterleaved) {
  // [8] under (SS(0, 2), S(0)) on 2x2: rank 1 has 4 and 5, rank 2 has 2 and 3.
  const Laid laid = tensor("2x2:dp,tp", {8}, {StridedShard{0, 2}, Shard{0}});
  ASSERT_EQ(laid.scene.cards.size(), 4U);
  const auto colour = [](int index) { return elementColour(index, 8, 0.4, false); };
  EXPECT_EQ(laid.scene.cards[1].cells[0].fill, colour(4));
  EXPECT_EQ(laid.scene.cards[1].cells[1].fill, colour(5));
  EXPECT_EQ(laid.scene.cards[2].cells[0].fill, colour(2));
  EXPECT_EQ(laid.scene.cards[1].note, QStringLiteral("rows 4–5"));
  EXPECT_THAT(labelsOf(laid.scene.cards[2]), ElementsAre(QStringLiteral("2"), QStringLiteral("3")));
  // dp runs down, tp across.
  EXPECT_EQ(laid.scene.cards[1].rect.top(), laid.scene.cards[0].rect.top());
  EXPECT_EQ(laid.scene.cards[2].rect.left(), laid.scene.cards[0].rect.left());
  EXPECT_GT(laid.scene.cards[2].rect.top(), laid.scene.cards[0].rect.bottom());
}

TEST(ShardsScene, PartialsOfOtherRanksAreNotDrawn) {
  const auto mesh = DeviceMesh::make({2}, {"pp"}, {0, 3}).value();
  const Laid laid = tensor("4:tp", {2, 2}, {Partial{}}, {mesh});
  ASSERT_EQ(laid.scene.cards.size(), 3U);
  EXPECT_EQ(laid.scene.signs.size(), 1U);
  EXPECT_THAT(laid.whole.values, ElementsAre(0, 2, 4, 6));
}

TEST(ShardsScene, DifferingCopiesAreSideBySide) {
  Laid laid;
  recordTensor(laid.journal, "2x2:dp,tp", {4, 2}, {Replicate{}, Shard{0}});
  overwrite(laid.journal, 3, {4, 5, 6, 8});
  laid.at(laid.journal.size(), 1);
  ASSERT_EQ(laid.scene.cards.size(), 3U);
  EXPECT_EQ(laid.scene.cards[0].title, QStringLiteral("ranks 0, 2"));
  EXPECT_FALSE(laid.scene.cards[0].differs);
  EXPECT_EQ(laid.scene.cards[1].title, QStringLiteral("rank 1"));
  EXPECT_EQ(laid.scene.cards[2].note, QStringLiteral("[3, 1]: 8, not 7"));
  EXPECT_EQ(laid.scene.cards[2].rect.top(), laid.scene.cards[1].rect.top());
}

TEST(ShardsScene, PartialsHaveASignBetweenThem) {
  const Laid laid = tensor("4:tp", {2, 2}, {Partial{}});
  ASSERT_EQ(laid.scene.signs.size(), 3U);
  EXPECT_EQ(laid.scene.signs[0].text, QStringLiteral("+"));
  EXPECT_GT(laid.scene.signs[0].centre.x(), laid.scene.cards[0].rect.right());
  EXPECT_LT(laid.scene.signs[0].centre.x(), laid.scene.cards[1].rect.left());
  EXPECT_THAT(laid.whole.values, ElementsAre(0, 4, 8, 12));
  const Laid most = tensor("4:tp", {2, 2}, {Partial{ReduceOp::Max}});
  EXPECT_EQ(most.scene.signs[0].text, QStringLiteral("max"));
  EXPECT_THAT(most.whole.values, ElementsAre(0, 1, 2, 3));
}

TEST(ShardsScene, PiecesMakeTheWhole) {
  const Laid laid = tensor("2x2:dp,tp", {5, 3}, {Shard{0}, Shard{1}});
  std::vector<double> expected(15);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    expected[i] = static_cast<double>(i);
  }
  EXPECT_EQ(laid.whole.values, expected);
  EXPECT_EQ(laid.scene.cards[1].note, QStringLiteral("rows 0–2, col 2"));
  EXPECT_EQ(laid.whole.missing, 0);
}

TEST(ShardsScene, FitsTheAreaIfPossible) {
  for (const QSizeF area : {QSizeF(500, 260), QSizeF(800, 400), QSizeF(1400, 900)}) {
    Laid laid = lookup(EventKind::Result, 3, "y");
    laid.at(LookupRun::find(laid.journal, EventKind::Result, 3),
            LookupRun::tensor(laid.journal, "y"), area);
    EXPECT_LE(laid.scene.size.width(), area.width() + 0.01);
    EXPECT_LE(laid.scene.size.height(), area.height() + 0.01);
    for (const ShardCard& card : laid.scene.cards) {
      for (const ShardCell& cell : card.cells) {
        EXPECT_TRUE(card.rect.contains(cell.rect));
      }
    }
  }
}

TEST(ShardsScene, DrawsAllRowsThatFit) {
  const Laid laid = tensor("8x8:dp,tp", {64, 64}, {Shard{0}, Shard{1}});
  ASSERT_EQ(laid.scene.cards.size(), 64U);
  for (const ShardCard& card : laid.scene.cards) {
    EXPECT_EQ(card.cells.size(), 64U);  // 8x8 each
    EXPECT_EQ(card.foot, QString());
  }
}

TEST(ShardsScene, ManyShardsAreArrangedLikeTheMesh) {
  for (const QSizeF area : {QSizeF(900, 480), QSizeF(640, 300), QSizeF(480, 240)}) {
    Laid laid = tensor("8x8:dp,tp", {64, 64}, {Shard{0}, Shard{1}});
    laid.at(laid.journal.size(), 1, area);
    ASSERT_EQ(laid.scene.cards.size(), 64U);
    const auto rect = [&](int rank) {
      return laid.scene.cards[static_cast<std::size_t>(rank)].rect;
    };
    for (int rank = 0; rank < 64; ++rank) {
      EXPECT_EQ(rect(rank).top(), rect(rank / 8 * 8).top());
      EXPECT_EQ(rect(rank).left(), rect(rank % 8).left());
    }
  }
}

// Tests several meshes at the panel's sizes in windows of 1680x1050, 1280x720 and 1024x700.
TEST(ShardsScene, CardsDoNotOverlap) {
  const std::vector<std::tuple<const char*, Shape, Placements>> kCases{
      {"4:tp", {10, 3}, {Shard{0}}},
      {"32:tp", {64, 8}, {Shard{0}}},
      {"8x8:dp,tp", {64, 64}, {Shard{0}, Shard{1}}},
      {"2x4x8:pp,dp,tp", {16, 32, 8}, {Shard{0}, Shard{1}, Shard{2}}},
      {"512:tp", {1024, 4}, {Shard{0}}},
      {"2x4:dp,tp", {7, 4}, {Shard{0}, Partial{}}},
      {"4:tp", {300, 3}, {Partial{}}},
      {"4096:tp", {4096}, {Shard{0}}},
  };
  for (const auto& [mesh, shape, placements] : kCases) {
    Laid laid = tensor(mesh, shape, placements);
    for (const QSizeF area : {QSizeF(900, 480), QSizeF(640, 300), QSizeF(480, 240)}) {
      laid.at(laid.journal.size(), 1, area);
      std::vector<QRectF> cards;
      for (const ShardCard& card : laid.scene.cards) {
        for (const ShardCell& cell : card.cells) {
          EXPECT_TRUE(card.body.adjusted(0, 0, 0.01, 0.01).contains(cell.rect)) << mesh;
        }
        EXPECT_TRUE(card.rect.contains(card.body)) << mesh;
        EXPECT_FALSE(card.body.intersects(card.titleRect)) << mesh;
        EXPECT_FALSE(card.body.intersects(card.noteRect)) << mesh;
        EXPECT_FALSE(card.noteRect.intersects(card.titleRect)) << mesh;
        EXPECT_FALSE(!card.foot.isEmpty() && card.body.intersects(card.footRect)) << mesh;
        EXPECT_LE(card.rect.right(), laid.scene.size.width() + 0.01);
        EXPECT_LE(card.rect.bottom(), laid.scene.size.height() + 0.01);
        cards.push_back(card.rect);
      }
      std::sort(cards.begin(), cards.end(), [](const QRectF& a, const QRectF& b) {
        return std::pair(a.top(), a.left()) < std::pair(b.top(), b.left());
      });
      for (std::size_t i = 0; i < cards.size(); ++i) {
        for (std::size_t j = i + 1; j < cards.size() && cards[j].top() < cards[i].bottom(); ++j) {
          ASSERT_FALSE(cards[i].intersects(cards[j])) << mesh << " in " << area.width();
        }
      }
    }
  }
}

TEST(ShardsScene, DrawsTheFirstOfMillionsAndCountsTheRest) {
  Laid laid;
  recordTensor(laid.journal, "4:tp", {8}, {Shard{0}});
  laid.journal.onMeta("mesh", "1000000:tp");
  laid.at(laid.journal.size(), 1);
  EXPECT_EQ(laid.scene.cards.size(), 4096U);
  EXPECT_EQ(laid.view.ranksLeft, 1000000 - 4096);
  EXPECT_EQ(laid.scene.left,
            QStringLiteral("ranks from 4096 on are not drawn (995904 of 1000000)"));
  EXPECT_EQ(laid.whole.gap, Gap::ManyRanks);
}

// The tensor is on two ranks, which are beyond the ranks that are drawn.
TEST(ShardsScene, CountsTheRanksOfASubMesh) {
  const auto left = [](std::vector<int> ranks) {
    Laid laid;
    recordTensor(laid.journal, "4:tp", {8}, {Shard{0}},
                 {DeviceMesh::make({2}, {"pp"}, std::move(ranks)).value()});
    laid.journal.onMeta("mesh", "1000000:tp");
    laid.at(laid.journal.size(), 1);
    EXPECT_EQ(laid.whole.gap, Gap::ManyRanks);
    return laid.scene.left;
  };
  EXPECT_EQ(left({5000, 5001}), QStringLiteral("ranks from 4096 on are not drawn (2 of 2)"));
  EXPECT_EQ(left({3, 5001}), QStringLiteral("ranks from 4096 on are not drawn (1 of 2)"));
}

TEST(ShardsScene, SignsAreOnlyBetweenPartialsOfOneSum) {
  // Downwards, dp shards rows and pp has partial values. Nothing is added between the blocks of dp.
  const Laid laid = tensor("2x2x2:dp,pp,tp", {4, 4}, {Shard{0}, Partial{}, Shard{1}});
  ASSERT_EQ(laid.scene.cards.size(), 8U);
  ASSERT_EQ(laid.scene.signs.size(), 4U);
  for (const ReductionSign& term : laid.scene.signs) {
    const bool first = term.centre.y() > laid.scene.cards[0].rect.bottom() &&
                       term.centre.y() < laid.scene.cards[2].rect.top();
    const bool second = term.centre.y() > laid.scene.cards[4].rect.bottom() &&
                        term.centre.y() < laid.scene.cards[6].rect.top();
    EXPECT_TRUE(first || second);
  }
}

TEST(ShardsScene, FewRowsScrollToShowNumbers) {
  const Laid laid = [] {
    Laid small = lookup(EventKind::Result, 3, "y");
    small.at(LookupRun::find(small.journal, EventKind::Result, 3),
             LookupRun::tensor(small.journal, "y"), QSizeF(560, 100));
    return small;
  }();
  EXPECT_EQ(textsOf(laid.scene.cards[0])[0], QStringLiteral("0.09"));
  EXPECT_GT(laid.scene.size.height(), 100);
}

// Two cards per row are wide enough for numbers; four would not be.
TEST(ShardsScene, WrapsCardsSoThatNumbersFit) {
  Laid laid = tensor("4:tp", {4, 8}, {Shard{0}});
  laid.at(laid.journal.size(), 1, QSizeF(520, 400));
  EXPECT_GT(laid.scene.cards[2].rect.top(), laid.scene.cards[0].rect.bottom());
  EXPECT_EQ(textsOf(laid.scene.cards[3])[7], QStringLiteral("31"));
  laid.at(laid.journal.size(), 1, QSizeF(520, 90));  // too low for two rows of cards
  EXPECT_EQ(laid.scene.cards[2].rect.top(), laid.scene.cards[0].rect.top());
}

TEST(ShardsScene, WrapsPartialValuesWithTheirSigns) {
  Laid laid = tensor("4:tp", {2, 3}, {Partial{}});
  laid.at(laid.journal.size(), 1, QSizeF(480, 400));  // four cards fit, but not with the signs
  EXPECT_GT(laid.scene.cards[2].rect.top(), laid.scene.cards[0].rect.bottom());
  EXPECT_LE(laid.scene.size.width(), 480);
}

// Cells become wider for the signs, so that no cell is empty among cells with numbers.
TEST(ShardsScene, HasNumbersInEachCellOrInNone) {
  Laid laid = tensor("2:tp", {4, 20}, {Shard{1}});
  std::vector<float> values(40);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = i % 3 == 0 ? -3e4F : i % 3 == 1 ? -2e-4F : 0.5F;
  }
  overwrite(laid.journal, 1, values);
  for (const double width : {400, 500, 560, 640, 720, 800}) {
    laid.at(laid.journal.size(), 1, QSizeF(width, 300));
    for (const ShardCard& card : laid.scene.cards) {
      const auto texts = textsOf(card);
      const auto empty =
          static_cast<std::size_t>(std::count(texts.begin(), texts.end(), QString()));
      EXPECT_TRUE(empty == 0 || empty == texts.size()) << width << ": " << empty;
    }
  }
  const Snapshot& snapshot = laid.states->at(laid.journal.size());
  ShardsSource source(laid.journal, snapshot, laid.view, firstSlice(*laid.view.record), false);
  source.alwaysNumbers = true;
  EXPECT_GE(layoutShards(source, QSizeF(400, 300)).sizes.characters, 5);
}

TEST(ShardsScene, AlwaysHasNumbersIfRequested) {
  Laid laid = tensor("2:tp", {40, 30}, {Shard{0}});
  const Snapshot& snapshot = laid.states->at(laid.journal.size());
  ShardsSource source(laid.journal, snapshot, laid.view, firstSlice(*laid.view.record), false);
  EXPECT_EQ(layoutShards(source, kArea).sizes.characters, 0);
  source.alwaysNumbers = true;
  const CardSizes sizes = layoutShards(source, kArea).sizes;
  EXPECT_GE(sizes.characters, 2);
  EXPECT_EQ(sizes.rows, 20);
  EXPECT_EQ(sizes.columns, 30);
}

}  // namespace
}  // namespace shardlens
