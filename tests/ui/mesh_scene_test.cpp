#include "ui/scenes/mesh_scene.h"

#include "core/trace/journal/tensor_ranks.h"
#include "core/trace/recorder/event_makers.h"
#include "core/trace/snapshot/state_index.h"
#include "tests/trace/named_event.h"
#include "tests/ui/support/lookup_run.h"
#include "ui/scenes/mesh_grid.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

namespace shardlens {
namespace {

MeshScene laidOut(const char* mesh) {
  Journal journal;
  const std::string_view text(mesh);
  const auto dims = 1 + std::count(text.begin(), text.end(), 'x');
  recordTensor(journal, mesh, {8, 8}, Placements(static_cast<std::size_t>(dims), Replicate{}));
  StateIndex states(journal);
  return layoutMesh(journal, states.at(journal.size()), QSizeF(400, 300));
}

TEST(MeshScene, LastAxisRunsAcrossPreviousAxisDown) {
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
  StateIndex states(journal);
  const EventId reduce = LookupRun::find(journal, EventKind::Collective);
  MeshScene scene = layoutMesh(journal, states.at(reduce), QSizeF(400, 200));
  EXPECT_EQ(scene.tense, CollectiveTense::Now);
  EXPECT_EQ(scene.collective, QStringLiteral("all_reduce over tp"));
  EXPECT_EQ(scene.bytes, QStringLiteral("sent: 72 B per rank, 288 B in total"));
  EXPECT_EQ(scene.edges.size(), 3U);
  ASSERT_EQ(scene.groups.size(), 1U);
  for (const MeshRank& rank : scene.ranks) {
    EXPECT_TRUE(rank.joined);
    EXPECT_TRUE(scene.groups[0].contains(rank.rect));
  }
  scene = layoutMesh(journal, states.at(reduce - 1), QSizeF(400, 200));
  EXPECT_EQ(scene.tense, CollectiveTense::Next);
  scene = layoutMesh(journal, states.at(journal.size()), QSizeF(400, 200));
  EXPECT_EQ(scene.tense, CollectiveTense::None);
  EXPECT_TRUE(scene.edges.empty());
}

// Returns the scene at a collective of these groups.
MeshScene joined(const char* mesh, const char* ranks, const char* hosted = nullptr) {
  Journal journal;
  Recorder recorder;
  recorder.addSink(journal);
  recorder.meta("mesh", mesh);
  if (hosted != nullptr) {
    recorder.meta("hosted", hosted);
  }
  Event event = namedEvent(recorder, EventKind::Collective, "all_gather");
  event.detail = recorder.intern(R"({"axis": "dp_tp"})");
  event.ranks = recorder.intern(ranks);
  event.bytes = 96;
  recorder.note(event);
  StateIndex states(journal);
  return layoutMesh(journal, states.at(1), QSizeF(600, 300));
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

TEST(MeshScene, NumbersInterleavedGroups) {
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

TEST(MeshScene, JoinsMillionsOfRanks) {
  const MeshScene few = joined("4194304:tp", "0-2097151|2097152-4194303");
  ASSERT_FALSE(few.ranks.empty());
  EXPECT_LT(few.ranks.size(), 400U);
  for (const MeshRank& rank : few.ranks) {
    EXPECT_TRUE(rank.joined);
    EXPECT_EQ(rank.group, 1);
  }
  EXPECT_EQ(few.bytes, QStringLiteral("sent: 0 B per rank, 96 B in total"));
  EXPECT_EQ(joined("4194304:tp", "0-4194303", "0-1").bytes,
            QStringLiteral("sent: 48 B per rank, 96 B in total"));
}

// Also after they have returned, as from a call that failed.
TEST(MeshScene, DividesTheBytesByTheRanksThatCame) {
  for (const std::int64_t duration : {Event::kRunning, std::int64_t{5}}) {
    Journal journal;
    Recorder recorder;
    recorder.addSink(journal);
    recorder.meta("mesh", "4:tp");
    Event event = namedEvent(recorder, EventKind::Collective, "all_reduce");
    event.ranks = recorder.intern("0-3");
    event.bytes = 96;
    event.duration = duration;
    recorder.note(event);
    journal.setPartLookup([duration](EventId, int rank) {
      return rank < 3 ? std::optional(EventPart{5, duration}) : std::nullopt;
    });
    StateIndex states(journal);
    EXPECT_EQ(layoutMesh(journal, states.at(1), QSizeF(600, 300)).bytes,
              QStringLiteral("sent: 32 B per rank, 96 B in total"));
  }
}

TEST(MeshScene, JoinsAGroupInItsOwnOrder) {
  const MeshScene scene = joined("3:tp", "0,2,1");
  ASSERT_EQ(scene.edges.size(), 2U);
  EXPECT_EQ(scene.edges[0].to.x(), scene.ranks[2].rect.left());
  EXPECT_EQ(scene.edges[1].to.x(), scene.ranks[1].rect.left());
}

TEST(MeshScene, DividesTheBytesByTheRanksOfThisProcess) {
  const MeshScene scene = joined("2x2:dp,tp", "0-3", "0,1");
  EXPECT_EQ(scene.bytes, QStringLiteral("sent: 48 B per rank, 96 B in total"));
  EXPECT_TRUE(scene.ranks[1].here);
  EXPECT_FALSE(scene.ranks[2].here);
}

TEST(MeshScene, MarksRanksOutsideTheTensorsMesh) {
  Journal journal;
  recordTensor(journal, "2x2:dp,tp", {4, 2}, {Shard{0}},
               {DeviceMesh::make({3}, {"pp"}, {0, 1, 3}).value()});
  StateIndex states(journal);
  const MeshScene scene = layoutMesh(journal, states.at(journal.size()), QSizeF(400, 300));
  EXPECT_EQ(scene.ranks[1].localShape, QStringLiteral("[2, 2]"));
  EXPECT_EQ(scene.ranks[2].localShape, QStringLiteral("not in mesh"));
  EXPECT_EQ(scene.ranks[3].localShape, QStringLiteral("[0, 2]"));
}

TEST(MeshScene, IsEmptyWithoutAMesh) {
  const Journal journal;
  EXPECT_TRUE(layoutMesh(journal, {}, QSizeF(400, 200)).ranks.empty());
}

// The sizes of the Mesh panel in windows of 1680x1050, 1280x720 and 1024x700, and a tiny size.
const std::vector<QSizeF> kAreas{{420, 260}, {316, 158}, {276, 150}, {150, 60}};

TEST(MeshGrid, BoxesNeverOverlapFromOneRankTo4096) {
  for (const char* text : {"1", "2", "8", "11", "16", "31", "32", "64", "512", "4096", "8x8",
                           "1x512", "2x4x8", "16x32", "64x64", "2x2x2x2x2", "7x1x9"}) {
    const auto mesh = parseMesh(text).value();
    for (const QSizeF area : kAreas) {
      const MeshGrid grid(mesh, area);
      const QRectF all(QPointF(-1e-6, -1e-6), grid.size() + QSizeF(2e-6, 2e-6));
      std::vector<QRectF> boxes;
      for (int rank = 0; rank < mesh.size(); ++rank) {
        const QRectF box = grid.boxOf(rank);
        EXPECT_TRUE(all.contains(box)) << text << " rank " << rank;
        EXPECT_GE(box.height(), 17);
        // Room for the largest rank number, with at most 6 pixels per digit.
        EXPECT_GE(box.width(), 6 * std::to_string(mesh.size() - 1).size() + 6.0) << text;
        boxes.push_back(box.adjusted(-1, -1, 1, 1));  // includes outlines
      }
      std::sort(boxes.begin(), boxes.end(), [](const QRectF& a, const QRectF& b) {
        return std::pair(a.top(), a.left()) < std::pair(b.top(), b.left());
      });
      for (std::size_t i = 0; i < boxes.size(); ++i) {
        for (std::size_t j = i + 1; j < boxes.size() && boxes[j].top() < boxes[i].bottom(); ++j) {
          ASSERT_FALSE(boxes[i].intersects(boxes[j])) << text << " in " << area.width();
        }
      }
      const auto seen = grid.placesIn(all);
      ASSERT_EQ(seen.size(), boxes.size()) << text;
      EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
    }
  }
}

TEST(MeshGrid, SingleAxisWrapsIntoRowsOfEqualLength) {
  const auto columns = [](const char* mesh, QSizeF area) {
    const MeshGrid grid(parseMesh(mesh).value(), area);
    int count = 0;
    while (count < 4096 && grid.boxOf(count).top() == 0 &&
           (count == 0 || grid.boxOf(count).left() > 0)) {
      ++count;
    }
    return count;
  };
  EXPECT_EQ(columns("8x1", {316, 158}), 8);
  EXPECT_EQ(columns("16", {316, 158}), 8);   // 14 would fit in
  EXPECT_EQ(columns("20", {220, 158}), 5);   // 9 would, and 7 + 7 + 6 takes fewer rows
  EXPECT_EQ(columns("31", {316, 158}), 11);  // 11 + 11 + 9, as 31 has no divisor
  EXPECT_EQ(columns("4096", {316, 158}), 8);
  EXPECT_EQ(columns("64x64", {316, 158}), 64);  // a matrix is scrolled, not reflowed
}

TEST(MeshGrid, WrappedGridFitsTheWidth) {
  for (const char* text : {"1", "2", "5", "16", "31", "512", "4096"}) {
    for (const QSizeF area : kAreas) {
      EXPECT_LE(MeshGrid(parseMesh(text).value(), area).size().width(), area.width() + 1e-6)
          << text;
    }
  }
  EXPECT_LE(MeshGrid(parseMesh("8x8").value(), {316, 200}).size().height(), 200 + 1e-6);
}

TEST(MeshGrid, FindsTheVisibleRanksOfMillions) {
  for (const char* text : {"100000", "1000000", "4096x4096", "16777216", "256x256x256"}) {
    const auto mesh = parseMesh(text).value();
    const MeshGrid grid(mesh, QSizeF(316, 158));
    const QRectF last = grid.boxOf(mesh.size() - 1);
    const auto seen = grid.placesIn(QRectF(last.right() - 316, last.bottom() - 158, 316, 158));
    EXPECT_LT(seen.size(), 120U) << text;
    EXPECT_EQ(seen.back(), mesh.size() - 1) << text;
  }
}

TEST(MeshGrid, StopsCountingAtTheLimit) {
  const MeshGrid grid(parseMesh("4096x4096").value(), QSizeF(316, 158));
  const QRectF all(QPointF(), grid.size());
  EXPECT_EQ(grid.placesIn(all, 7).size(), 8U);
  EXPECT_EQ(grid.placesIn(grid.boxOf(5), 7), std::vector{5});
}

TEST(MeshScene, LaysOutTheVisiblePartOfAnyMesh) {
  for (const char* text : {"64x64", "1000000", "4096x4096", "16777216"}) {
    Journal journal;
    recordTensor(journal, "4:tp", {8}, {Shard{0}});
    journal.onMeta("mesh", text);
    journal.onMeta("backend", "dry");
    StateIndex states(journal);
    const QSizeF area(316, 158);
    MeshScene scene = layoutMesh(journal, states.at(journal.size()), area);
    ASSERT_FALSE(scene.ranks.empty());
    EXPECT_EQ(scene.ranks.front().rank, 0);
    EXPECT_LT(scene.ranks.size(), 200U);
    const QPointF end(scene.size.width() - area.width(), scene.size.height() - area.height());
    scene = layoutMesh(journal, states.at(journal.size()), area, {end});
    EXPECT_EQ(scene.ranks.back().rank, recordedMesh(journal)->size() - 1);
    EXPECT_TRUE(scene.inside.contains(scene.ranks.back().rect)) << text;
  }
}

TEST(MeshScene, NoFrameTouchesARankOfAnotherGroup) {
  const MeshScene scene = joined("8x8:dp,tp", "0-7|8-15|16-23|24-31|32-39|40-47|48-55|56-63");
  ASSERT_EQ(scene.groups.size(), 8U);
  for (std::size_t i = 0; i < scene.groups.size(); ++i) {
    for (const MeshRank& rank : scene.ranks) {
      EXPECT_EQ(scene.groups[i].intersects(rank.rect), rank.rank / 8 == static_cast<int>(i));
    }
  }
}

TEST(MeshScene, WritesBytesOnTheLinesOfGroups) {
  const MeshScene scene = joined("4:tp", "0-3");
  ASSERT_EQ(scene.labels.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(scene.labels[i].text, QStringLiteral("24 B"));
    EXPECT_GT(scene.labels[i].rect.left(), scene.ranks[i].rect.right());
    EXPECT_LT(scene.labels[i].rect.right(), scene.ranks[i + 1].rect.left());
  }
  // In a column, labels are between one box and the next.
  const MeshScene down = joined("2x2:dp,tp", "0,2|1,3");
  ASSERT_EQ(down.labels.size(), 2U);
  EXPECT_GT(down.labels[0].rect.top(), down.ranks[0].rect.bottom());
  EXPECT_LT(down.labels[0].rect.bottom(), down.ranks[2].rect.top());
}

TEST(MeshScene, HidesBytesThatWouldCoverARankOrBeCut) {
  for (const char* mesh : {"4:tp", "16:tp", "64:tp", "8x8:dp,tp", "512:tp", "2x4x8:pp,dp,tp"}) {
    for (const char* ranks : {"0-3", "0-7|8-15", "0,1,2,3|4,5,6,7"}) {
      const MeshScene scene = joined(mesh, ranks);
      for (const MeshLabel& label : scene.labels) {
        EXPECT_TRUE(scene.inside.contains(label.rect)) << mesh << " " << ranks;
        for (const MeshRank& rank : scene.ranks) {
          EXPECT_FALSE(label.rect.intersects(rank.rect)) << mesh << " " << ranks;
        }
      }
    }
  }
}

TEST(MeshScene, LargeBoxesNameTheRole) {
  MeshScene scene = joined("2x2:dp,tp", "0,2");
  EXPECT_EQ(scene.ranks[0].role, QStringLiteral("sends, receives"));
  EXPECT_EQ(scene.ranks[1].role, QStringLiteral("not a member"));
  EXPECT_EQ(scene.ranks[0].device, QString());
  scene = joined("512:tp", "0-511");  // small ranks are described on request
  EXPECT_EQ(scene.ranks[0].role, QString());
}

TEST(MeshScene, WithoutAMeshRanksAreInARow) {
  Journal journal;
  EXPECT_FALSE(shownMesh(journal));
  journal.onMeta("hosted", "0-2");
  const MeshScene scene = layoutMesh(journal, {}, QSizeF(400, 200));
  ASSERT_EQ(scene.ranks.size(), 3U);
  EXPECT_EQ(scene.ranks[2].rect.top(), scene.ranks[0].rect.top());
  EXPECT_TRUE(scene.axes.empty());
}

TEST(MeshScene, NamesOnlyAxesWithSeveralRanks) {
  EXPECT_TRUE(laidOut("1:tp").axes.empty());
  const MeshScene scene = laidOut("4x1:dp,tp");
  ASSERT_EQ(scene.axes.size(), 1U);
  EXPECT_EQ(scene.axes[0].name, QStringLiteral("dp 4"));
  EXPECT_FALSE(scene.axes[0].upright);
}

TEST(MeshScene, NamesTheBlocksOfAnOuterAxis) {
  const MeshScene scene = laidOut("2x3x4:pp,dp,tp");
  ASSERT_EQ(scene.axes.size(), 3U);
  for (const std::size_t block : {0U, 1U}) {
    const MeshAxis& axis = scene.axes[block];
    EXPECT_TRUE(axis.name.startsWith(QStringLiteral("pp %1").arg(block))) << qPrintable(axis.name);
    EXPECT_NEAR(axis.rect.left(), scene.boxOf(12 * static_cast<int>(block)).left(), 1);
    EXPECT_NEAR(axis.rect.right(), scene.boxOf(12 * static_cast<int>(block) + 3).right(), 1);
  }
  EXPECT_EQ(scene.axes[2].name, QStringLiteral("dp 3"));
  const MeshScene four = laidOut("2x1x3x2:pp,dp,cp,tp");
  ASSERT_EQ(four.axes.size(), 3U);
  EXPECT_EQ(four.axes[0].name, QStringLiteral("tp 2"));
  EXPECT_TRUE(four.axes[1].name.startsWith(QStringLiteral("pp 0")));
  EXPECT_TRUE(four.axes[2].upright);
}

TEST(MeshScene, NamesTheEndsOfAMessage) {
  Journal journal;
  Recorder recorder;
  recorder.addSink(journal);
  recorder.meta("mesh", "2:pp");
  for (const auto& [name, member] : {std::pair("send 0->1", "0"), std::pair("recv 1<-0", "1")}) {
    Event event = namedEvent(recorder, EventKind::Collective, name);
    event.ranks = recorder.intern(member);
    event.bytes = *member == '0' ? 8 : 0;
    recorder.note(event);
  }
  StateIndex states(journal);
  const auto laidOutAt = [&](EventId id) {
    return layoutMesh(journal, states.at(id), QSizeF(600, 300));
  };
  EXPECT_EQ(laidOutAt(1).bytes, QStringLiteral("sent: 8 B"));
  EXPECT_EQ(laidOutAt(2).bytes, QString());
  for (const EventId id : {EventId{1}, EventId{2}}) {
    EXPECT_EQ(laidOutAt(id).ranks[0].role, QStringLiteral("sends"));
    EXPECT_EQ(laidOutAt(id).ranks[1].role, QStringLiteral("receives"));
  }
}

TEST(MeshScene, NamesTheSenderOfABroadcast) {
  Journal journal;
  Recorder recorder;
  recorder.addSink(journal);
  recorder.meta("mesh", "2x2:dp,tp");
  recorder.note(makeCollective(recorder, CollectiveKind::Scatter, "0,1|2,3", 1, 64,
                               {.axis = "tp", .root = 1}));
  StateIndex states(journal);
  const MeshScene scene = layoutMesh(journal, states.at(1), QSizeF(600, 300));
  EXPECT_EQ(scene.bytes, QStringLiteral("sent: 16 B to each rank, 64 B in total"));
  EXPECT_EQ(scene.ranks[2].role, QStringLiteral("receives"));
  EXPECT_EQ(scene.ranks[3].role, QStringLiteral("sends"));
}

TEST(MeshScene, DescribesARank) {
  Journal journal;
  recordLookup(journal);
  StateIndex states(journal);
  const EventId reduce = LookupRun::find(journal, EventKind::Collective);
  const MeshRank rank = describeRank(journal, states.at(reduce), 2);
  EXPECT_EQ(rank.role, QStringLiteral("sends, receives"));
  EXPECT_EQ(rank.localShape, QStringLiteral("[6, 3]"));
  EXPECT_TRUE(rank.joined);
  EXPECT_EQ(rank.group, 0);  // the only group
  // Before the next collective begins, the rank has no role.
  EXPECT_EQ(describeRank(journal, states.at(reduce - 1), 2).role, QString());
}

TEST(MeshGrid, ArrowsContinueInTheNextRow) {
  const MeshGrid matrix(parseMesh("2x3").value(), {400, 300});
  EXPECT_EQ(matrix.neighbour(0, {1, 0}), 1);
  EXPECT_EQ(matrix.neighbour(1, {0, 1}), 4);
  EXPECT_EQ(matrix.neighbour(4, {0, -1}), 1);
  EXPECT_EQ(matrix.neighbour(4, {0, 1}), 4);
  EXPECT_EQ(matrix.neighbour(2, {1, 0}), 3);
  EXPECT_EQ(matrix.neighbour(3, {-1, 0}), 2);
  EXPECT_EQ(matrix.neighbour(0, {-1, 0}), 0);
  EXPECT_EQ(matrix.neighbour(5, {1, 0}), 5);
  const MeshGrid blocks(parseMesh("2x2x2").value(), {500, 300});
  EXPECT_EQ(blocks.neighbour(1, {1, 0}), 4);  // over the gap between blocks
  EXPECT_EQ(blocks.neighbour(6, {-1, 0}), 3);
  for (const char* text : {"1", "2x2x2x2x2x2", "4096", "7x1x9"}) {
    const auto mesh = parseMesh(text).value();
    for (const double magnified : {0.0, 1.0, 3.0}) {
      const MeshGrid grid(mesh, {316, 158}, magnified);
      for (int rank = 0; rank < mesh.size(); rank += 1 + mesh.size() / 50) {
        for (const QPoint side : {QPoint(1, 0), QPoint(-1, 0), QPoint(0, 1), QPoint(0, -1)}) {
          const int to = grid.neighbour(rank, side);
          const QPointF offset = grid.boxOf(to).center() - grid.boxOf(rank).center();
          const double ahead = offset.x() * side.x() + offset.y() * side.y();
          EXPECT_TRUE(to == rank || ahead > 0 || std::abs(to - rank) == 1) << text << " " << rank;
        }
      }
    }
  }
}

TEST(MeshGrid, BoxesGrowByTheMagnification) {
  const auto mesh = parseMesh("16").value();
  const MeshGrid usual(mesh, {316, 158});
  const MeshGrid larger(mesh, {316, 158}, 1.5);
  for (int rank = 0; rank < 16; ++rank) {
    EXPECT_NEAR(larger.boxOf(rank).left(), 1.5 * usual.boxOf(rank).left(), 1e-6);
    EXPECT_NEAR(larger.boxOf(rank).width(), 1.5 * usual.boxOf(rank).width(), 1e-6);
  }
}

TEST(MeshGrid, All4096RanksFitAtTheSmallestScale) {
  for (const char* text : {"1", "2", "64", "4096", "4095", "2x4x8"}) {
    for (const QSizeF area : {kAreas[0], kAreas[1], kAreas[2]}) {
      const MeshGrid grid(parseMesh(text).value(), area, Magnifier::kAll);
      EXPECT_LE(grid.size().width(), area.width() + 1e-6) << text;
      EXPECT_LE(grid.size().height(), area.height() + 1e-6) << text;
      EXPECT_GE(grid.box().width(), 2) << text;
      EXPECT_GE(grid.gap().height(), 1 - 1e-6) << text;
    }
  }
  // A matrix is not reflowed; it is scrolled if even dots do not fit.
  const MeshGrid matrix(parseMesh("64x64").value(), kAreas[1], Magnifier::kAll);
  EXPECT_NEAR(matrix.size().height(), 64 * 3 - 1, 1e-6);
}

}  // namespace
}  // namespace shardlens
