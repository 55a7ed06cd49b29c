#include "ui/scenes/buffer_scene.h"

#include "core/trace/snapshot/state_index.h"
#include "tests/ui/support/lookup_run.h"

#include <gmock/gmock.h>

namespace shardlens {
namespace {

using testing::ElementsAre;

TEST(BufferScene, BitsOfEachRank) {
  Journal journal;
  recordLookup(journal);
  const auto bits = maskBits(journal, LookupRun::tensor(journal, "mask"), journal.size());
  ASSERT_EQ(bits.size(), 4U);
  // Ids 0 9 4 4 2 7.
  EXPECT_THAT(bits[0].bits, ElementsAre(false, true, true, true, false, true));
  EXPECT_EQ(bits[0].masked, 4);
  EXPECT_EQ(bits[3].masked, 5);
}

TEST(BufferScene, DrawsTheRefcountAsSteps) {
  Journal journal;
  recordLookup(journal);
  const auto at = [&](EventKind kind, int nth) {
    return static_cast<double>(LookupRun::find(journal, kind, nth));
  };
  const double made = at(EventKind::MaskMaterialized, 0);
  const double shared = at(EventKind::MaskMaterialized, 1);
  const double given = at(EventKind::MaskReleased, 0);
  const double drained = at(EventKind::MaskReleased, 1);
  const auto histories = StateIndex(journal).at(journal.size()).histories;
  EXPECT_THAT(refcountSteps(histories->buffers.changesOf(1), journal.size()),
              ElementsAre(QPointF(0, 0), QPointF(made, 0), QPointF(made, 1), QPointF(shared, 1),
                          QPointF(shared, 2), QPointF(given, 2), QPointF(given, 1),
                          QPointF(drained, 1), QPointF(drained, 0), QPointF(journal.size(), 0)));
}

std::vector<MaskBits> bitsOf(int ranks, std::size_t ids) {
  std::vector<MaskBits> all;
  for (int rank = 0; rank < ranks; ++rank) {
    all.push_back({rank, std::vector<bool>(ids, true), static_cast<std::int64_t>(ids)});
    all.back().bits[0] = false;
  }
  return all;
}

TEST(BitsScene, DrawsANumberPerRankAndASquarePerId) {
  const BitsScene scene = layoutBits(bitsOf(4, 6), {200, 110});
  EXPECT_EQ(scene.each, 1);
  ASSERT_EQ(scene.squares.size(), 24U);
  EXPECT_EQ(scene.squares[0].masked, 0);
  EXPECT_EQ(scene.squares[1].masked, 1);
  EXPECT_EQ(scene.labels[3].second, QStringLiteral("r3"));
}

TEST(BitsScene, ManyIdsShareSquaresAndManyRanksScroll) {
  const BitsScene scene = layoutBits(bitsOf(64, 300), {200, 110});
  EXPECT_EQ(scene.each, 9);  // 34 squares of 5 pixels
  ASSERT_EQ(scene.squares.size(), 64U * 34);
  EXPECT_EQ(scene.squares[0].masked, 8 / 9.0);
  EXPECT_EQ(scene.squares[33].masked, 1);  // the last three
  EXPECT_EQ(scene.labels.size(), 64U);
  EXPECT_EQ(scene.size.height(), 64 * 13);
  for (const BitSquare& square : scene.squares) {
    EXPECT_LE(square.rect.right(), 200);
    EXPECT_FALSE(square.rect.intersects(scene.labels[0].first));
  }
}

}  // namespace
}  // namespace shardlens
