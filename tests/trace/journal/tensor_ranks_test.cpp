#include "core/trace/journal/tensor_ranks.h"

#include "tests/trace/sample_run.h"

#include <gmock/gmock.h>

namespace shardlens {
namespace {

using testing::ElementsAre;

Journal journalOn(std::string_view mesh, std::string_view hosted = {}) {
  Journal journal;
  journal.onMeta("mesh", mesh);
  if (!hosted.empty()) journal.onMeta("hosted", hosted);
  return journal;
}

void add(Journal& journal, Placements placements, std::optional<DeviceMesh> mesh = {}) {
  journal.onSpec(
      journal.specs() + 1,
      {DType::Float32, {4}, std::move(placements), mesh ? shared(std::move(*mesh)) : nullptr});
  journal.onTensor(journal.tensors() + 1, 0, journal.specs());
}

TEST(RecordedMesh, IsReadFromItsText) {
  EXPECT_EQ(recordedMesh(journalOn("2x3:dp,tp")), *DeviceMesh::make({2, 3}, {"dp", "tp"}));
  EXPECT_EQ(recordedMesh(journalOn("4")), *DeviceMesh::make({4}));
  EXPECT_FALSE(recordedMesh(Journal()));
  EXPECT_FALSE(recordedMesh(journalOn("2xtwo:a,b")));
}

TEST(TensorRanks, OfARecordingAreHereUnlessAnotherProcessHostedThem) {
  Journal journal = journalOn("2x2:dp,tp");
  add(journal, {Shard{0}, Replicate{}});
  EXPECT_THAT(hostedRanks(journal), ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(TensorRanks(journal, 1).of(3), RankLocation::Here);
  journal.onMeta("hosted", "0,2");
  const TensorRanks ranks(journal, 1);
  EXPECT_THAT(hostedRanks(journal), ElementsAre(0, 2));
  EXPECT_THAT(ranks.all(), ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(ranks.mesh(), recordedMesh(journal));
  EXPECT_EQ(ranks.of(2), RankLocation::Here);
  EXPECT_EQ(ranks.of(3), RankLocation::OtherProcess);
}

TEST(TensorRanks, OfADryRunAreAllThere) {
  Journal journal = journalOn("2x2:dp,tp", "0");
  journal.onMeta("backend", "dry");
  add(journal, {Shard{0}, Replicate{}});
  EXPECT_THAT(hostedRanks(journal), ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(TensorRanks(journal, 1).of(3), RankLocation::Here);
}

TEST(TensorRanks, OutsideOfATensorsOwnMeshHoldNothing) {
  Journal journal = journalOn("2x2:dp,tp", "0,1");
  const auto mesh = DeviceMesh::make({3}, {"pp"}, {3, 0, 5}).value();
  add(journal, {Shard{0}}, mesh);
  const TensorRanks ranks(journal, 1);
  EXPECT_EQ(ranks.mesh(), mesh);
  EXPECT_THAT(ranks.all(), ElementsAre(0, 1, 2, 3, 5));
  EXPECT_EQ(ranks.of(0), RankLocation::Here);
  EXPECT_EQ(ranks.of(1), RankLocation::NotInMesh);
  EXPECT_EQ(ranks.of(2), RankLocation::NotInMesh);
  EXPECT_EQ(ranks.of(3), RankLocation::OtherProcess);
}

TEST(TensorRanks, HaveNoMeshWithoutAPlacementForEachOfItsDimensions) {
  Journal journal = journalOn("2x2:dp,tp", "0,1");
  add(journal, {Shard{0}});
  add(journal, {});  // no placements, as a mask has none
  EXPECT_FALSE(TensorRanks(journal, 1).mesh());
  EXPECT_EQ(TensorRanks(journal, 2).of(1), RankLocation::Here);
  EXPECT_EQ(TensorRanks(journal, 2).of(2), RankLocation::OtherProcess);
}

TEST(TensorRanks, WithoutAnyMeshAreThoseWithValues) {
  Journal journal;
  add(journal, {Shard{0}});
  EXPECT_TRUE(TensorRanks(journal, 1).all().empty());
  journal.onValue(valueOf<float>(1, 7, {1}, {1}));
  EXPECT_THAT(TensorRanks(journal, 1).all(), ElementsAre(7));
  EXPECT_EQ(TensorRanks(journal, 1).of(7), RankLocation::Here);
}

TEST(AxisOf, IsTheAxisOfTheCollectiveOrItsMeshDimension) {
  Journal journal = journalOn("2x2:dp,tp");
  const auto axis = [&](std::string_view detail, int meshDim) {
    const StringId id = journal.strings() + 1;
    journal.onString(id, detail);
    Event event;
    event.detail = id;
    event.meshDim = static_cast<std::int8_t>(meshDim);
    return axisOf(journal, event);
  };
  EXPECT_EQ(axis(R"({"axis": "dp_tp"})", -1), "dp_tp");
  EXPECT_EQ(axis(R"({"axis": "pp"})", 0), "pp");  // a collective on another mesh
  EXPECT_EQ(axis("", 1), "tp");
  EXPECT_EQ(axis(R"({"axis": "tp"})", -1), "tp");
  EXPECT_EQ(axis("[3", 2), "");
  EXPECT_EQ(axis(R"({"axis": 7})", -1), "");
}

// As torch's default group, which a mesh of one dimension over all ranks uses.
TEST(AxisOf, OfAGroupWithoutADimensionIsThatOfTheMeshOverItsMembers) {
  Journal journal = journalOn("4:dp");
  journal.onString(1, "0-3");
  journal.onString(2, "0,1");
  journal.onString(3, "0,1|2,3");
  const auto axis = [&](StringId ranks) {
    Event event;
    event.ranks = ranks;
    return std::pair(axisOf(journal, event), meshDimOf(journal, event));
  };
  EXPECT_EQ(axis(1), std::pair(std::string("dp"), 0));
  EXPECT_EQ(axis(2), std::pair(std::string(), -1));
  add(journal, {Shard{0}}, DeviceMesh::make({2}, {"ep"}, {1, 0}).value());
  EXPECT_EQ(axis(2), std::pair(std::string("ep"), -1)) << "the recorded mesh has no such dimension";
  add(journal, {Shard{0}}, DeviceMesh::make({2}, {"ep"}).value());
  EXPECT_EQ(axis(2).first, "ep");
  add(journal, {Shard{0}, Shard{0}}, DeviceMesh::make({2, 2}, {"x", "y"}).value());
  EXPECT_EQ(axis(1).first, "dp");
  EXPECT_EQ(axis(3).first, "") << "two groups";
  add(journal, {Shard{0}}, DeviceMesh::make({4}, {"tp"}).value());
  EXPECT_EQ(axis(1), std::pair(std::string(), -1)) << "either of two meshes";
}

TEST(TensorRanks, OfMillionsOnlyTheFirstAreListed) {
  Journal journal = journalOn("4096x4096:dp,tp");
  journal.onMeta("backend", "dry");
  add(journal, {Shard{0}, Replicate{}});
  const TensorRanks ranks(journal, 1);
  EXPECT_THAT(ranks.first(3), ElementsAre(0, 1, 2));
  EXPECT_EQ(ranks.of(16777215), RankLocation::Here);
  EXPECT_EQ(ranks.of(16777216), RankLocation::NotInMesh);
  EXPECT_THAT(hostedRanges(journal), ElementsAre(RankRange{0, 16777215}));
}

TEST(RankRanges, AreAscendingAndDisjoint) {
  EXPECT_THAT(parseRankRanges("7,0-3|2-4,x,9-8"), ElementsAre(RankRange{0, 4}, RankRange{7, 7}));
  EXPECT_THAT(parseRankRanges("0-1,2"), ElementsAre(RankRange{0, 2}));
  EXPECT_EQ(rangesText({}), "");
  EXPECT_EQ(rangesText({{0, 1}, {3, 3}, {5, 16777215}}), "0,1,3,5-16777215");
  const auto ranges = parseRankRanges("2-3,7");
  EXPECT_FALSE(contains(ranges, 1));
  EXPECT_TRUE(contains(ranges, 2));
  EXPECT_TRUE(contains(ranges, 3));
  EXPECT_FALSE(contains(ranges, 4));
  EXPECT_TRUE(contains(ranges, 7));
}

}  // namespace
}  // namespace shardlens
