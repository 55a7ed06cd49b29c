#include "ui/scenes/shard_motion.h"

#include "tests/ui/support/laid.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace shardlens {
namespace {

ShardMotion motionOf(const Laid& before, const Laid& after) {
  return motionBetween(before.view, before.scene, after.view, after.scene);
}

TEST(ShardMotion, GatheredElementsStartAtTheirOldRank) {
  const Laid cut = tensor("4:tp", {8, 2}, {Shard{0}});
  const Laid whole = tensor("4:tp", {8, 2}, {Replicate{}});
  const ShardMotion motion = motionOf(cut, whole);
  ASSERT_EQ(motion.moved.size(), 1U);
  ASSERT_EQ(motion.travels.size(), 16U);
  for (std::size_t i = 0; i < 16; ++i) {
    EXPECT_EQ(motion.travels[i].from, cut.scene.cards[i / 4].cells[i % 4].rect) << i;
    EXPECT_EQ(motion.travels[i].to, whole.scene.cards[0].cells[i].rect) << i;
    EXPECT_EQ(motion.travels[i].fill, whole.scene.cards[0].cells[i].fill) << i;
    EXPECT_TRUE(motion.moved[0][i]);
  }
}

TEST(ShardMotion, PartialsMergeIntoTheirSum) {
  const Laid terms = tensor("4:tp", {2, 2}, {Partial{}});
  const Laid sum = tensor("4:tp", {2, 2}, {Replicate{}});
  const ShardMotion motion = motionOf(terms, sum);
  // All partial values of an element move to the element of the sum.
  EXPECT_GE(motion.travels.size(), 12U);
  for (const CellTravel& travel : motion.travels) {
    const auto& cells = sum.scene.cards[0].cells;
    EXPECT_TRUE(std::any_of(cells.begin(), cells.end(),
                            [&](const ShardCell& cell) { return cell.rect == travel.to; }));
  }
  // Backwards, partial values move out of the sum: at most one travel per cell.
  EXPECT_LE(motionOf(sum, terms).travels.size(), 16U);
}

TEST(ShardMotion, TransposedElementsCross) {
  const Laid rows = tensor("2:tp", {4, 4}, {Shard{0}});
  const Laid columns = tensor("2:tp", {4, 4}, {Shard{1}});
  const ShardMotion motion = motionOf(rows, columns);
  ASSERT_EQ(motion.moved.size(), 2U);
  // Element [0, 3] goes from rank 0 to rank 1.
  const QRectF to = columns.scene.cards[1].cells[1].rect;
  const auto found = std::find_if(motion.travels.begin(), motion.travels.end(),
                                  [&](const CellTravel& travel) { return travel.to == to; });
  ASSERT_NE(found, motion.travels.end());
  EXPECT_EQ(found->from, rows.scene.cards[0].cells[3].rect);
}

TEST(ShardMotion, UnchangedElementsDoNotMove) {
  const Laid one = tensor("4:tp", {8, 2}, {Shard{0}});
  EXPECT_TRUE(motionOf(one, one).isEmpty());
  EXPECT_TRUE(motionOf(one, tensor("4:tp", {8, 3}, {Shard{0}})).isEmpty());
  EXPECT_TRUE(motionOf(Laid(), one).isEmpty());
}

TEST(ShardMotion, LargeTensorsDoNotMove) {
  const auto move = [](const Shape& shape) {
    return motionOf(tensor("2:tp", shape, {Shard{0}}), tensor("2:tp", shape, {Shard{1}}));
  };
  EXPECT_FALSE(move({40, 50}).isEmpty());  // 2,000 cells
  EXPECT_TRUE(move({42, 50}).isEmpty());
  EXPECT_TRUE(move({2000, 1000}).isEmpty());
}

TEST(ShardMotion, CoversATensorAndItsRedistribution) {
  Journal journal;
  recordLookup(journal);
  StateIndex states(journal);
  const auto id = [&](const char* name) { return LookupRun::tensor(journal, name); };
  const Snapshot end = states.at(journal.size());
  const Snapshot before = states.at(LookupRun::find(journal, EventKind::Result, 3));
  EXPECT_TRUE(isSameData(journal, before, id("y"), end, id("y")));
  EXPECT_TRUE(isSameData(journal, before, id("y"), end, id("z")));
  EXPECT_TRUE(isSameData(journal, end, id("z"), before, id("y")));  // a step back
  EXPECT_FALSE(isSameData(journal, before, id("w"), end, id("z")));
}

}  // namespace
}  // namespace shardlens
