#include "ui/scenes/shards_scene.h"

#include "tests/ui/support/lookup_run.h"
#include "ui/scenes/assembled.h"
#include "ui/scenes/colour.h"

#include <gmock/gmock.h>

namespace shardlens {
namespace {

using testing::ElementsAre;

constexpr QSizeF kArea(800, 400);

struct Laid {
  Journal journal;
  std::unique_ptr<Replay> replay;
  TensorView view;
  ShardsScene scene;
  Assembled whole;

  void at(EventId position, TensorId tensor, QSizeF area = kArea) {
    replay = std::make_unique<Replay>(journal);
    const Snapshot& snapshot = replay->at(position);
    view = viewTensor(journal, snapshot, tensor);
    scene = layoutShards(journal, snapshot, view, area, false);
    whole = assemble(journal, snapshot, view);
  }
};

Laid tensor(const char* mesh, Shape shape, Placements placements, const Recorded& recorded = {}) {
  Laid laid;
  recordTensor(laid.journal, mesh, std::move(shape), std::move(placements), recorded);
  laid.at(laid.journal.size(), 1);
  return laid;
}

Laid lookup(EventKind kind, int nth, const char* name) {
  Laid laid;
  recordLookup(laid.journal);
  laid.at(LookupRun::find(laid.journal, kind, nth), LookupRun::tensor(laid.journal, name));
  return laid;
}

std::vector<QString> textsOf(const ShardCard& card) {
  std::vector<QString> texts;
  for (const ShardCell& cell : card.cells) {
    texts.push_back(cell.text);
  }
  return texts;
}

std::vector<QString> labelsOf(const ShardCard& card) {
  std::vector<QString> labels;
  for (const RowLabel& label : card.labels) {
    labels.push_back(label.text);
  }
  return labels;
}

TEST(ShardsScene, AStridedShardIsInterleaved) {
  // [8] under (SS(0, 2), S(0)) on 2x2: rank 1 holds 4 and 5, rank 2 holds 2 and 3.
  const Laid laid = tensor("2x2:dp,tp", {8}, {StridedShard{0, 2}, Shard{0}});
  ASSERT_EQ(laid.scene.cards.size(), 4U);
  const auto colour = [](double index) { return elementColour(index / 7, 0.4, false); };
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

TEST(ShardsScene, AnEmptyShardIsAnEmptyFrame) {
  const Laid laid = tensor("4:tp", {5, 2}, {Shard{0}});  // 2, 2, 1, 0 rows
  EXPECT_EQ(laid.scene.cards[2].cells.size(), 2U);
  EXPECT_TRUE(laid.scene.cards[3].cells.empty());
  EXPECT_EQ(laid.scene.cards[3].empty, QStringLiteral("empty\nfrom 5 of 5"));
  EXPECT_TRUE(laid.scene.cards[0].empty.isEmpty());
  EXPECT_EQ(laid.whole.values.size(), 10U);
  EXPECT_EQ(laid.whole.missing, 0);
}

TEST(ShardsScene, RanksOutsideOfATensorsMeshHoldNothing) {
  const auto mesh = DeviceMesh::make({3}, {"pp"}, {3, 0, 5}).value();
  const Laid laid = tensor("2x4:dp,tp", {4, 2}, {Shard{0}}, {mesh});
  ASSERT_EQ(laid.scene.cards.size(), 4U);
  EXPECT_EQ(laid.scene.cards[0].title, QStringLiteral("rank 3"));
  EXPECT_EQ(laid.scene.cards[0].note, QStringLiteral("rows 0–1"));
  EXPECT_EQ(laid.scene.cards[1].title, QStringLiteral("rank 0"));
  EXPECT_EQ(laid.scene.cards[2].empty, QStringLiteral("empty\nfrom 4 of 4"));
  EXPECT_EQ(laid.scene.cards[3].title, QStringLiteral("ranks 1, 2, 4, 6, 7"));
  EXPECT_EQ(laid.scene.cards[3].empty, QStringLiteral("not in\nthis mesh"));
  EXPECT_TRUE(laid.scene.cards[3].sheets.empty());
  EXPECT_FALSE(laid.scene.cards[3].changed);
  EXPECT_THAT(laid.whole.values, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
}

TEST(ShardsScene, NoTermStandsOutsideOfTheMesh) {
  const auto mesh = DeviceMesh::make({2}, {"pp"}, {0, 3}).value();
  const Laid laid = tensor("4:tp", {2, 2}, {Partial{}}, {mesh});
  ASSERT_EQ(laid.scene.cards.size(), 3U);
  EXPECT_EQ(laid.scene.terms.size(), 1U);
  EXPECT_THAT(laid.whole.values, ElementsAre(0, 2, 4, 6));
}

TEST(ShardsScene, RanksOfOtherProcessesAreNotTakenForEmpty) {
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

TEST(ShardsScene, OfCopiesInOtherProcessesTheOneThatIsHereIsShown) {
  const Laid laid = tensor("2x2:dp,tp", {4, 2}, {Replicate{}, Shard{0}}, {{}, "2,3"});
  ASSERT_EQ(laid.scene.cards.size(), 2U);
  EXPECT_EQ(laid.scene.cards[0].title, QStringLiteral("ranks 0, 2"));
  EXPECT_EQ(laid.scene.cards[0].cells[0].text, QStringLiteral("0.00"));
  EXPECT_THAT(laid.whole.values, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
}

TEST(ShardsScene, CopiesAreDrawnOnceWithSheets) {
  const Laid laid = tensor("2x2:dp,tp", {4, 2}, {Replicate{}, Shard{0}});
  ASSERT_EQ(laid.scene.cards.size(), 2U);
  EXPECT_EQ(laid.scene.cards[0].title, QStringLiteral("ranks 0, 2"));
  EXPECT_EQ(laid.scene.cards[0].sheets.size(), 1U);
  EXPECT_EQ(laid.scene.cards[1].title, QStringLiteral("ranks 1, 3"));
  EXPECT_TRUE(laid.whole.copiesAgree);
}

TEST(ShardsScene, CopiesThatDifferAreFoundOut) {
  Laid laid;
  recordTensor(laid.journal, "2:tp", {2}, {Replicate{}});
  const auto* value = laid.journal.value(1, 1, laid.journal.size());
  ValueRecord other = *value;
  other.data = std::make_shared<std::vector<std::byte>>(value->data->size(), std::byte{7});
  laid.journal.onValue(other);
  laid.at(laid.journal.size(), 1);
  EXPECT_FALSE(laid.whole.copiesAgree);
  EXPECT_TRUE(laid.scene.cards[0].differs);
}

TEST(ShardsScene, TermsHaveASignBetweenThem) {
  const Laid laid = tensor("4:tp", {2, 2}, {Partial{}});
  ASSERT_EQ(laid.scene.terms.size(), 3U);
  EXPECT_EQ(laid.scene.terms[0].text, QStringLiteral("+"));
  EXPECT_GT(laid.scene.terms[0].centre.x(), laid.scene.cards[0].rect.right());
  EXPECT_LT(laid.scene.terms[0].centre.x(), laid.scene.cards[1].rect.left());
  EXPECT_THAT(laid.whole.values, ElementsAre(0, 4, 8, 12));
  const Laid most = tensor("4:tp", {2, 2}, {Partial{ReduceOp::Max}});
  EXPECT_EQ(most.scene.terms[0].text, QStringLiteral("max"));
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

TEST(ShardsScene, MaskedRowsAreHatchedUntilTheyAreReduced) {
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
  EXPECT_EQ(laid.scene.cards[1].cells[0].text, QStringLiteral("0.00"));
  laid.at(laid.journal.size(), LookupRun::tensor(laid.journal, "z"));
  ASSERT_EQ(laid.scene.cards.size(), 1U);
  EXPECT_FALSE(laid.scene.cards[0].cells[0].masked);
}

TEST(ShardsScene, ALookedUpRowKeepsTheColourOfItsRowInTheTable) {
  Laid laid = lookup(EventKind::Result, 0, "w");
  const QColor row4 = laid.scene.cards[1].cells[3].fill;
  EXPECT_EQ(row4, elementColour(4 / 9.0, 0, false));
  laid.at(LookupRun::find(laid.journal, EventKind::Result, 3),
          LookupRun::tensor(laid.journal, "y"));
  EXPECT_EQ(laid.scene.cards[1].cells[6].fill, row4);  // id 4, owned by rank 1
  EXPECT_EQ(laid.scene.cards[1].cells[0].fill,
            elementColour(3 / 9.0, 0, false));  // masked: its row 0
  laid.at(laid.journal.size(), LookupRun::tensor(laid.journal, "z"));
  EXPECT_EQ(laid.scene.cards[0].cells[6].fill, row4);
}

TEST(ShardsScene, RowsOfALookUpAreLabelledWithTheirIds) {
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

TEST(ShardsScene, WhatItWillBeIsKnownBeforeTheReduction) {
  const Laid pending = lookup(EventKind::Result, 3, "y");
  const Laid reduced = lookup(EventKind::Result, 4, "z");
  EXPECT_EQ(pending.whole.values, reduced.whole.values);
  EXPECT_EQ(pending.whole.missing, 0);
  EXPECT_EQ(pending.whole.tableRows[3], 9);
}

TEST(ShardsScene, ValuesStandInTheCellsWhereThereIsRoom) {
  Laid laid = lookup(EventKind::Result, 0, "w");
  EXPECT_THAT(
      textsOf(laid.scene.cards[3]),
      ElementsAre(QStringLiteral("-0.85"), QStringLiteral("-0.40"), QStringLiteral("-2.02")));
  laid.at(2, LookupRun::tensor(laid.journal, "w"), QSizeF(420, 60));
  EXPECT_EQ(laid.scene.cards[3].cells[0].text, QString());
}

TEST(ShardsScene, FitsTheAreaWheneverItCan) {
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

TEST(ShardsScene, OfALargeShardEveryNthElementIsShown) {
  const Laid laid = tensor("2:tp", {100, 100}, {Shard{0}});  // at most 64 KiB are captured
  EXPECT_LE(laid.scene.size.height(), 400.01);
  EXPECT_GT(laid.scene.cards[0].cells.size(), 100U);
  EXPECT_LT(laid.scene.cards[0].cells.size(), 5000U);
}

}  // namespace
}  // namespace shardlens
