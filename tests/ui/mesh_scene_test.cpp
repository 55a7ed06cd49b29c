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

// At a collective of these groups.
MeshScene joined(const char* mesh, const char* ranks, const char* hosted = nullptr) {
  Journal journal;
  Recorder recorder;
  recorder.addSink(journal);
  recorder.meta("mesh", mesh);
  if (hosted != nullptr) {
    recorder.meta("hosted", hosted);
  }
  Event event;
  event.kind = EventKind::Collective;
  event.name = recorder.intern("all_gather");
  event.detail = recorder.intern(R"({"axis": "dp_tp"})");
  event.ranks = recorder.intern(ranks);
  event.bytes = 96;
  recorder.note(event);
  Replay replay(journal);
  return layoutMesh(journal, replay.at(1), QSizeF(600, 300));
}

TEST(MeshScene, FramesAFlattenedGroup) {
  const MeshScene scene = joined("2x2:dp,tp", "0-3");
  EXPECT_EQ(scene.collective, QStringLiteral("all_gather over dp_tp"));
  ASSERT_EQ(scene.groups.size(), 1U);
  EXPECT_EQ(scene.edges.size(), 3U);
  for (const MeshRank& rank : scene.ranks) {
    EXPECT_TRUE(scene.groups[0].contains(rank.rect));
    EXPECT_EQ(rank.group, 0);
  }
}

TEST(MeshScene, NumbersGroupsThatStandBetweenOneAnother) {
  const MeshScene scene = joined("2x2x2:pp,dp,tp", "0,2,4,6|1,3,5,7");
  EXPECT_TRUE(scene.groups.empty());
  EXPECT_TRUE(scene.edges.empty());
  ASSERT_EQ(scene.ranks.size(), 8U);
  for (const MeshRank& rank : scene.ranks) {
    EXPECT_TRUE(rank.joined);
    EXPECT_EQ(rank.group, 1 + rank.rank % 2);
  }
  EXPECT_EQ(joined("2x2x2:pp,dp,tp", "0-3|4-7").groups.size(), 2U);
  EXPECT_EQ(joined("4:tp", "0,2").ranks[2].group, 0);  // the only group needs no number
}

TEST(MeshScene, SharesTheBytesAmongTheRanksOfThisProcess) {
  const MeshScene scene = joined("2x2:dp,tp", "0-3", "0,1");
  EXPECT_EQ(scene.bytes, QStringLiteral("48 B a rank, 96 B together"));
  EXPECT_TRUE(scene.ranks[1].here);
  EXPECT_FALSE(scene.ranks[2].here);
}

TEST(MeshScene, SaysWhoIsNotInTheTensorsMesh) {
  Journal journal;
  recordTensor(journal, "2x2:dp,tp", {4, 2}, {Shard{0}},
               {DeviceMesh::make({3}, {"pp"}, {0, 1, 3}).value()});
  Replay replay(journal);
  const MeshScene scene = layoutMesh(journal, replay.at(journal.size()), QSizeF(400, 300));
  EXPECT_EQ(scene.ranks[1].holds, QStringLiteral("[2, 2]"));
  EXPECT_EQ(scene.ranks[2].holds, QStringLiteral("not in it"));
  EXPECT_EQ(scene.ranks[3].holds, QStringLiteral("[0, 2]"));
}

TEST(MeshScene, IsEmptyWithoutAMesh) {
  const Journal journal;
  EXPECT_TRUE(layoutMesh(journal, {}, QSizeF(400, 200)).ranks.empty());
}

TEST(MeshScene, ShowsRanksThatAreTooManyForBoxesAsDotsInItsArea) {
  for (const int ranks : {512, 513}) {
    Journal journal;
    journal.onMeta("mesh", "1x" + std::to_string(ranks) + ":dp,tp");
    journal.onMeta("hosted", "1");
    journal.onString(1, "all_reduce");
    journal.onString(2, "0-1|2-" + std::to_string(ranks - 1));
    Event event;
    event.kind = EventKind::Collective;
    event.name = 1;
    event.ranks = 2;
    journal.onEvent(1, event);
    Replay replay(journal);
    const MeshScene scene = layoutMesh(journal, replay.at(1), QSizeF(400, 200));
    EXPECT_EQ(scene.dots, ranks == 513);
    if (!scene.dots) {
      continue;
    }
    EXPECT_LE(scene.ranks.back().rect.right(), 400.5);
    EXPECT_TRUE(scene.ranks[0].joined && scene.ranks[1].joined);
    EXPECT_FALSE(scene.ranks[2].joined);
    EXPECT_TRUE(scene.groups.empty());
  }
}

}  // namespace
}  // namespace shardlens
