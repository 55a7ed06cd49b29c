#include "ui/scenes/mesh_scene.h"

#include "tests/ui/support/lookup_run.h"

#include <gmock/gmock.h>

namespace shardlens {
namespace {

MeshScene laidOut(const char* mesh) {
  Journal journal;
  recordTensor(journal, mesh, {8, 8}, Placements(mesh[1] == 'x' ? 2 : 1, Replicate{}));
  Replay replay(journal);
  return layoutMesh(journal, replay.at(journal.size()), QSizeF(400, 300));
}

TEST(MeshScene, TheLastAxisRunsAcrossTheOneBeforeDown) {
  const MeshScene scene = laidOut("2x3:dp,tp");
  ASSERT_EQ(scene.ranks.size(), 6U);
  EXPECT_EQ(scene.ranks[2].rect.top(), scene.ranks[0].rect.top());
  EXPECT_GT(scene.ranks[2].rect.left(), scene.ranks[1].rect.right());
  EXPECT_EQ(scene.ranks[3].rect.left(), scene.ranks[0].rect.left());
  EXPECT_GT(scene.ranks[3].rect.top(), scene.ranks[0].rect.bottom());
  ASSERT_EQ(scene.axes.size(), 2U);
  EXPECT_EQ(scene.axes[0].name, QStringLiteral("tp 3"));
  EXPECT_EQ(scene.axes[1].name, QStringLiteral("dp 2"));
  EXPECT_TRUE(scene.axes[1].upright);
}

TEST(MeshScene, AThirdAxisMakesBlocks) {
  Journal journal;
  journal.onMeta("mesh", "2x2x2:pp,dp,tp");
  const MeshScene scene = layoutMesh(journal, {}, QSizeF(500, 300));
  ASSERT_EQ(scene.ranks.size(), 8U);
  EXPECT_EQ(scene.ranks[4].rect.top(), scene.ranks[0].rect.top());
  const double within = scene.ranks[1].rect.left() - scene.ranks[0].rect.left();
  const double between = scene.ranks[4].rect.left() - scene.ranks[1].rect.left();
  EXPECT_GT(between, within * 1.2);
}

TEST(MeshScene, JoinsTheGroupsOfTheCollective) {
  Journal journal;
  recordLookup(journal);
  Replay replay(journal);
  const EventId reduce = LookupRun::find(journal, EventKind::Collective);
  MeshScene scene = layoutMesh(journal, replay.at(reduce), QSizeF(400, 200));
  EXPECT_EQ(scene.tense, CollectiveTense::Now);
  EXPECT_EQ(scene.collective, QStringLiteral("all_reduce over tp"));
  EXPECT_EQ(scene.bytes, QStringLiteral("72 B a rank, 288 B together"));
  EXPECT_EQ(scene.edges.size(), 3U);
  ASSERT_EQ(scene.groups.size(), 1U);
  for (const MeshRank& rank : scene.ranks) {
    EXPECT_TRUE(rank.joined);
    EXPECT_TRUE(scene.groups[0].contains(rank.rect));
  }
  scene = layoutMesh(journal, replay.at(reduce - 1), QSizeF(400, 200));
  EXPECT_EQ(scene.tense, CollectiveTense::Next);
  scene = layoutMesh(journal, replay.at(journal.size()), QSizeF(400, 200));
  EXPECT_EQ(scene.tense, CollectiveTense::None);
  EXPECT_TRUE(scene.edges.empty());
}

TEST(MeshScene, IsEmptyWithoutAMesh) {
  const Journal journal;
  EXPECT_TRUE(layoutMesh(journal, {}, QSizeF(400, 200)).ranks.empty());
}

}  // namespace
}  // namespace shardlens
