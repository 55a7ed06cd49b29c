#include "ui/scenes/shards_scene.h"

#include "tests/ui/support/lookup_run.h"
#include "ui/scenes/assembled.h"
#include "ui/scenes/colour.h"
#include "ui/scenes/sampling.h"
#include "ui/scenes/whole_scene.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <tuple>

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

// Another value of the tensor on one rank, of the same event.
void overwrite(Journal& journal, int rank, const std::vector<float>& values) {
  ValueRecord other = *journal.value(1, rank, journal.size());
  auto bytes = std::make_shared<std::vector<std::byte>>(values.size() * sizeof(float));
  std::memcpy(bytes->data(), values.data(), bytes->size());
  other.data = std::move(bytes);
  journal.onValue(other);
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
  EXPECT_EQ(laid.scene.cards[3].empty, QStringLiteral("empty: the\nrows end at 4"));
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
  EXPECT_EQ(laid.scene.cards[2].empty, QStringLiteral("empty: the\nrows end at 3"));
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
  EXPECT_EQ(laid.scene.cards[0].cells[0].text, QStringLiteral("0"));
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

// [2, 2] on four ranks, of which rank 2 has 5 where the others have 3.
Laid oneWrongCopy(QSizeF area = kArea) {
  Laid laid;
  recordTensor(laid.journal, "4:tp", {2, 2}, {Replicate{}});
  overwrite(laid.journal, 2, {0, 1, 2, 5});
  laid.at(laid.journal.size(), 1, area);
  return laid;
}

TEST(ShardsScene, CopiesThatDifferAreShownApart) {
  const Laid laid = oneWrongCopy();
  EXPECT_FALSE(laid.whole.copiesAgree);
  EXPECT_THAT(laid.whole.values, ElementsAre(0, 1, 2, 3));  // as most ranks have it
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

TEST(ShardsScene, CopiesOfAPieceThatDifferStandBesideOneAnother) {
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

TEST(ShardsScene, CopiesThatAgreeStayOne) {
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
  EXPECT_EQ(laid.scene.cards[1].cells[0].text, QStringLiteral("0"));
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
  const Laid laid = lookup(EventKind::Result, 0, "w");
  EXPECT_THAT(
      textsOf(laid.scene.cards[3]),
      ElementsAre(QStringLiteral("-0.85"), QStringLiteral("-0.4"), QStringLiteral("-2.02")));
  const Laid narrow = tensor("4:tp", {12, 30}, {Shard{0}});
  EXPECT_EQ(narrow.scene.cards[3].cells[0].text, QString());
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

TEST(ShardsScene, CellsThatStandForOthersSaySo) {
  const Laid laid = tensor("2:tp", {100, 100}, {Shard{0}});  // at most 64 KiB are captured
  EXPECT_LE(laid.scene.size.height(), 400.01);
  const ShardCard& card = laid.scene.cards[0];
  EXPECT_EQ(card.foot, QStringLiteral("50 of 100 cols drawn"));
  std::int64_t elements = 0;
  for (const ShardCell& cell : card.cells) {
    elements += cell.rows * cell.columns;
  }
  EXPECT_EQ(elements, 5000);  // every one of them stands in some cell
  EXPECT_FALSE(card.footRect.intersects(card.cells.back().rect));
  const Laid small = tensor("2:tp", {20, 10}, {Shard{0}});
  EXPECT_EQ(small.scene.cards[0].foot, QString());
  EXPECT_EQ(small.scene.cards[0].cells.size(), 100U);
}

TEST(ShardsScene, OfManyRanksAllRowsThatThereIsRoomForAreDrawn) {
  const Laid laid = tensor("8x8:dp,tp", {64, 64}, {Shard{0}, Shard{1}});
  ASSERT_EQ(laid.scene.cards.size(), 64U);
  for (const ShardCard& card : laid.scene.cards) {
    EXPECT_EQ(card.cells.size(), 64U);  // 8x8 each
    EXPECT_EQ(card.foot, QString());
  }
}

// Rank 0 holds every second row. However few are drawn, none stands for what is not beside it.
TEST(ShardsScene, ASampleNeverHidesAStride) {
  const Laid laid = tensor("2x2:dp,tp", {400, 2}, {StridedShard{0, 8}, Shard{0}}, {});
  const ShardCard& card = laid.scene.cards[0];
  ASSERT_LT(card.cells.size(), 200U);
  const RankPart& part = laid.view.parts[0];
  for (const ShardCell& cell : card.cells) {
    const auto row = cell.flat / 2;
    EXPECT_EQ(globalIndex(part.runs[0], row + cell.rows - 1),
              globalIndex(part.runs[0], row) + cell.rows - 1);
  }
}

TEST(Sampling, NeverReachesOverTheEndOfARun) {
  using Stretches = std::vector<Stretch>;
  EXPECT_EQ(sampled({{0, 3}}, 3), (Stretches{{0, 1}, {1, 1}, {2, 1}}));
  EXPECT_EQ(sampled({{0, 4}, {8, 4}}, 4), (Stretches{{0, 2}, {2, 2}, {4, 2}, {6, 2}}));
  EXPECT_EQ(sampled({{0, 4}, {8, 3}}, 3), (Stretches{{0, 3}, {3, 1}, {4, 3}}));
  EXPECT_EQ(sampled({{0, 5}, {8, 1}}, 3), (Stretches{{0, 3}, {3, 2}, {5, 1}}));
  EXPECT_EQ(sampled({{0, 4}, {8, 4}}, 1),
            (Stretches{{0, 4}}));  // the rest is left out, and counted
  EXPECT_EQ(sampled({{0, 1000000}}, 2), (Stretches{{0, 500000}, {500000, 500000}}));
  EXPECT_TRUE(sampled({}, 4).empty());
}

TEST(ShardsScene, RowsThatAreLeftOutAreCounted) {
  const Laid laid = tensor("2:tp", {400}, {StridedShard{0, 100}});  // 100 runs of two
  EXPECT_EQ(laid.view.parts[0].runs[0].size(), 100U);
  const ShardCard& card = laid.scene.cards[0];
  EXPECT_EQ(card.foot, QStringLiteral("%1 of 200 rows drawn").arg(card.cells.size()));
  EXPECT_LT(card.cells.size(), 100U);
}

// Of 64 ids rank 0 masks the first 32, and every fourth of the others.
TEST(ShardsScene, ARowThatStandsForMaskedOnesIsHatchedInPart) {
  Laid laid = tensor("1:tp", {64}, {Replicate{}});
  for (std::size_t row = 0; row < 64; ++row) {
    laid.view.parts[0].away.push_back(row < 32 || row % 4 == 0);
  }
  const Snapshot& snapshot = laid.replay->at(laid.journal.size());
  const ShardsScene scene =
      layoutShards(laid.journal, snapshot, laid.view, QSizeF(300, 100), false);
  ASSERT_EQ(scene.cards[0].cells.size(), 16U);
  EXPECT_EQ(scene.cards[0].foot, QStringLiteral("16 of 64 rows drawn"));
  EXPECT_EQ(scene.cards[0].cells[0].masked, 1);
  EXPECT_EQ(scene.cards[0].cells[8].masked, 0.25);
  EXPECT_EQ(laid.scene.cards[0].cells[0].masked, 0);
}

TEST(ShardsScene, ManyShardsStandAsTheirMeshDoes) {
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

// Shards of any mesh, at the sizes that the panel has in windows of 1680x1050, 1280x720, 1024x700.
TEST(ShardsScene, NothingIsDrawnOverSomethingElse) {
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

TEST(ShardsScene, SmallCardsSayItInFewerWords) {
  Laid small = tensor("64:tp", {60, 4}, {Shard{0}});
  EXPECT_EQ(small.scene.cards[63].empty, QStringLiteral("empty"));
  small = tensor("2x4x8:pp,dp,tp", {16, 32, 8}, {Shard{0}, Shard{1}, Shard{2}});
  small.at(small.journal.size(), 1, QSizeF(560, 200));
  EXPECT_EQ(small.scene.cards[0].foot, QStringLiteral("16/64"));
}

TEST(ShardsScene, OfMillionsOfRanksTheFirstAreDrawnAndTheOthersCounted) {
  Laid laid;
  recordTensor(laid.journal, "4:tp", {8}, {Shard{0}});
  laid.journal.onMeta("mesh", "1000000:tp");
  laid.at(laid.journal.size(), 1);
  EXPECT_EQ(laid.scene.cards.size(), 4096U);
  EXPECT_EQ(laid.view.ranksLeft, 1000000 - 4096);
  EXPECT_EQ(laid.scene.left, QStringLiteral("ranks from 4096 on are not drawn: 995904 of 1000000"));
  EXPECT_EQ(laid.whole.gap, Gap::ManyRanks);
}

TEST(ShardsScene, SignsStandOnlyBetweenTermsOfOneSum) {
  // Down: dp cuts rows, then pp has terms. Between the blocks of dp nothing is added.
  const Laid laid = tensor("2x2x2:dp,pp,tp", {4, 4}, {Shard{0}, Partial{}, Shard{1}});
  ASSERT_EQ(laid.scene.cards.size(), 8U);
  ASSERT_EQ(laid.scene.terms.size(), 4U);
  for (const TermSign& term : laid.scene.terms) {
    const bool first = term.centre.y() > laid.scene.cards[0].rect.bottom() &&
                       term.centre.y() < laid.scene.cards[2].rect.top();
    const bool second = term.centre.y() > laid.scene.cards[4].rect.bottom() &&
                        term.centre.y() < laid.scene.cards[6].rect.top();
    EXPECT_TRUE(first || second);
  }
}

TEST(ShardsScene, OwnersNameTheDimensionsThatAreCut) {
  const Laid laid = tensor("2x2:dp,tp", {4, 2, 6}, {Shard{0}, Shard{2}});
  EXPECT_EQ(laid.scene.cards[1].fullNote, QStringLiteral("dim 0: 0–1, dim 2: 3–5"));
  EXPECT_EQ(tensor("3:tp", {2, 2, 7}, {Shard{0}}).scene.cards[2].empty,
            QStringLiteral("empty: the\nindices of dim 0 end at 1"));
  EXPECT_EQ(tensor("2:tp", {0, 2}, {Shard{0}}).scene.cards[0].empty,
            QStringLiteral("empty: there\nare no rows"));
}

TEST(ShardsScene, NumbersAreScrolledForWhereTheyAreFew) {
  const Laid laid = [] {
    Laid small = lookup(EventKind::Result, 3, "y");
    small.at(LookupRun::find(small.journal, EventKind::Result, 3),
             LookupRun::tensor(small.journal, "y"), QSizeF(560, 100));
    return small;
  }();
  EXPECT_EQ(textsOf(laid.scene.cards[0])[0], QStringLiteral("0.09"));
  EXPECT_GT(laid.scene.size.height(), 100);
}

TEST(ShardsScene, AnIdHasTheColourOfTheRowThatItFetches) {
  // Ids 0 9 4 4 2 7 of a table of ten rows.
  const Laid ids = lookup(EventKind::Result, 3, "x");
  const auto row = [](double index) { return elementColour(index / 9, 0.4, false); };
  EXPECT_EQ(ids.scene.cards[0].cells[1].fill, row(9));
  EXPECT_EQ(ids.scene.cards[0].cells[2].fill, ids.scene.cards[0].cells[3].fill);
  const Laid early = lookup(EventKind::Result, 1, "x");  // the program says what they are for
  EXPECT_EQ(early.scene.cards[0].cells[1].fill, row(9));
  const Laid local = lookup(EventKind::Result, 3, "x'");
  EXPECT_EQ(local.scene.cards[3].cells[1].fill, row(9));  // rank 3 calls it 0
  EXPECT_EQ(local.scene.cards[1].cells[2].fill, row(4));  // rank 1 calls it 1
}

TEST(Assembled, NoSumIsPredictedOfMaskedLocalIds) {
  const Laid laid = lookup(EventKind::Result, 3, "x'");
  EXPECT_TRUE(laid.view.localIds);
  EXPECT_TRUE(laid.whole.values.empty());
  EXPECT_EQ(laid.whole.gap, Gap::LocalIds);
  EXPECT_FALSE(lookup(EventKind::Result, 3, "y").view.localIds);
}

TEST(Assembled, OverflowIsPredictedAsItWillCome) {
  Laid laid;
  recordTensor(laid.journal, "3:tp", {2}, {Partial{}});
  overwrite(laid.journal, 0, {1e38F, 1});
  overwrite(laid.journal, 1, {1e38F, 1});
  overwrite(laid.journal, 2, {3e38F, 1});
  laid.at(laid.journal.size(), 1);
  EXPECT_THAT(laid.whole.values, ElementsAre(HUGE_VAL, 3));
  EXPECT_EQ(laid.whole.infinities, 1);
  EXPECT_EQ(laid.whole.nans, 0);
}

TEST(Assembled, RoundsAsTheDtypeDoes) {
  EXPECT_EQ(rounded(DType::Float32, 16777217), 16777216);
  EXPECT_EQ(rounded(DType::Float64, 16777217), 16777217);
  EXPECT_EQ(rounded(DType::Float16, 2049), 2048);
  EXPECT_EQ(rounded(DType::Float16, 65519), 65504);
  EXPECT_EQ(rounded(DType::Float16, 65520), HUGE_VAL);
  EXPECT_EQ(rounded(DType::Float16, -65520), -HUGE_VAL);
  EXPECT_EQ(rounded(DType::Float16, std::ldexp(1, -25)), 0);  // half of the smallest: to even
  EXPECT_EQ(rounded(DType::BFloat16, 257), 256);
  EXPECT_EQ(rounded(DType::Int8, 128), -128);
  EXPECT_EQ(rounded(DType::UInt8, 256), 0);
  EXPECT_TRUE(std::isnan(rounded(DType::Float16, NAN)));
}

TEST(Assembled, SaysWhyThereIsNoWhole) {
  EXPECT_EQ(tensor("4:tp", {5, 2}, {Shard{0}}).whole.gap, Gap::None);
  EXPECT_EQ(tensor("2:tp", {0, 2}, {Shard{0}}).whole.gap, Gap::NoElements);
  EXPECT_EQ(tensor("4:tp", {16384}, {Shard{0}}).whole.gap, Gap::None);
  EXPECT_EQ(tensor("4:tp", {16385}, {Shard{0}}).whole.gap, Gap::TooLarge);
  EXPECT_EQ(tensor("2:tp", {4}, {Shard{0}}, {{}, "0"}).whole.gap, Gap::Elsewhere);
  Laid laid;
  recordTensor(laid.journal, "2:tp", {4}, {Shard{0}});
  ValueRecord bare = *laid.journal.value(1, 1, laid.journal.size());
  bare.data = nullptr;
  laid.journal.onValue(bare);
  laid.at(laid.journal.size(), 1);
  EXPECT_EQ(laid.whole.gap, Gap::NotCaptured);
  ValueRecord other = *laid.journal.value(1, 0, laid.journal.size());
  other.shape = {1, 2};
  laid.journal.onValue(other);
  other.rank = 1;
  laid.journal.onValue(other);
  laid.at(laid.journal.size(), 1);
  EXPECT_EQ(laid.whole.gap, Gap::UnknownCut);
}

TEST(ShardsScene, ADamagedValueIsNotDrawn) {
  Laid laid;
  recordTensor(laid.journal, "2:tp", {4}, {Shard{0}});
  ValueRecord broken = *laid.journal.value(1, 0, laid.journal.size());
  broken.shape = {1000000, 1000000};
  laid.journal.onValue(broken);
  laid.at(laid.journal.size(), 1);
  EXPECT_EQ(laid.scene.cards[0].empty, QStringLiteral("not captured"));
  EXPECT_EQ(laid.scene.cards[1].cells.size(), 2U);
}

TEST(WholeScene, CountsTheRowsAndColumnsThatAreLeftOut) {
  Laid laid = tensor("2:tp", {100, 100}, {Shard{0}});
  const Snapshot& snapshot = laid.replay->at(laid.journal.size());
  const auto lay = [&](QSizeF area) {
    return layoutWhole(laid.journal, snapshot, laid.view, laid.whole, area, false);
  };
  const WholeScene scene = lay({500, 56});
  EXPECT_EQ(scene.left, QStringLiteral("and 99 more rows, 45 more columns"));
  for (const WholeCell& cell : scene.cells) {
    EXPECT_FALSE(cell.rect.intersects(scene.leftRect));
  }
  EXPECT_EQ(lay({900, 3000}).left, QString());
}

TEST(WholeScene, NumbersTheRowsOfMoreDimensionsAsTheShardsDo) {
  Laid laid = tensor("2:tp", {2, 2, 3}, {Shard{0}});
  const WholeScene scene = layoutWhole(laid.journal, laid.replay->at(laid.journal.size()),
                                       laid.view, laid.whole, {800, 56}, false);
  ASSERT_EQ(scene.labels.size(), 4U);
  EXPECT_EQ(scene.labels[1].second, QStringLiteral("0,1"));
  EXPECT_EQ(labelsOf(laid.scene.cards[1])[1], QStringLiteral("1,1"));
}

}  // namespace
}  // namespace shardlens
