#include "core/model/mesh.h"

#include <gtest/gtest.h>

namespace shardlens {
namespace {

using Groups = std::vector<std::vector<int>>;

TEST(Mesh, TheLastAxisRunsFastest) {
  const auto mesh = DeviceMesh::make({2, 3, 2}).value();
  EXPECT_EQ(mesh.ndim(), 3);
  EXPECT_EQ(mesh.size(), 12);
  int rank = 0;
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 3; ++j) {
      for (int k = 0; k < 2; ++k, ++rank) {
        EXPECT_EQ(mesh.coordinate(rank), (std::vector<int>{i, j, k})) << rank;
        EXPECT_EQ(mesh.coordinate(rank, 1), j) << rank;
      }
    }
  }
}

TEST(Mesh, AGroupDiffersAlongOneAxisOnly) {
  const auto mesh = DeviceMesh::make({2, 3, 2}).value();
  EXPECT_EQ(mesh.groups(0), (Groups{{0, 6}, {1, 7}, {2, 8}, {3, 9}, {4, 10}, {5, 11}}));
  EXPECT_EQ(mesh.groups(1), (Groups{{0, 2, 4}, {1, 3, 5}, {6, 8, 10}, {7, 9, 11}}));
  EXPECT_EQ(mesh.groups(2), (Groups{{0, 1}, {2, 3}, {4, 5}, {6, 7}, {8, 9}, {10, 11}}));
}

TEST(Mesh, AnAxisOfOneMakesGroupsOfOne) {
  const auto mesh = DeviceMesh::make({1, 3}).value();
  EXPECT_EQ(mesh.groups(0), (Groups{{0}, {1}, {2}}));
  EXPECT_EQ(mesh.groups(1), (Groups{{0, 1, 2}}));
}

TEST(Mesh, GroupsAlongSeveralAxesRunThroughTheLastFastest) {
  const auto mesh = DeviceMesh::make({2, 3, 2}).value();
  EXPECT_EQ(mesh.groups({0, 2}), (Groups{{0, 1, 6, 7}, {2, 3, 8, 9}, {4, 5, 10, 11}}));
  EXPECT_EQ(mesh.groups({0, 1, 2}).size(), 1);
}

TEST(Mesh, MayHaveSomeOfTheRanks) {
  const auto mesh = DeviceMesh::make({2, 2}, {}, {6, 1, 3, 4}).value();
  EXPECT_EQ(mesh.groups(0), (Groups{{6, 3}, {1, 4}}));
  EXPECT_EQ(mesh.groups(1), (Groups{{6, 1}, {3, 4}}));
  EXPECT_EQ(mesh.coordinate(4), (std::vector<int>{1, 1}));
  EXPECT_TRUE(mesh.has(6));
  EXPECT_FALSE(mesh.has(0));
  EXPECT_NE(mesh, *DeviceMesh::make({2, 2}));
  EXPECT_EQ(*DeviceMesh::make({2, 2}, {}, {0, 1, 2, 3}), *DeviceMesh::make({2, 2}));
}

TEST(Mesh, NamesMayBeLeftOut) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(DeviceMesh::make({2, 2})->names(), (Names{"d0", "d1"}));
  EXPECT_EQ(DeviceMesh::make({2, 2}, {"dp", "tp"})->names(), (Names{"dp", "tp"}));
}

TEST(Mesh, IsEqualByShapeAndNames) {
  const auto mesh = DeviceMesh::make({2, 3}, {"dp", "tp"});
  EXPECT_EQ(*mesh, *DeviceMesh::make({2, 3}, {"dp", "tp"}));
  EXPECT_NE(*mesh, *DeviceMesh::make({2, 3}, {"tp", "dp"}));
  EXPECT_NE(*mesh, *DeviceMesh::make({3, 2}, {"dp", "tp"}));
}

// A linear search per rank would be far too slow here.
TEST(Mesh, FindsTheCoordinateOfManyReversedRanks) {
  constexpr int kRanks = 1 << 20;
  std::vector<int> ranks;
  for (int rank = kRanks; rank-- > 0;) ranks.push_back(rank);
  const auto mesh = DeviceMesh::make({kRanks}, {}, ranks).value();
  for (int rank = 0; rank < kRanks; ++rank) {
    ASSERT_EQ(mesh.coordinate(rank, 0), kRanks - 1 - rank);
  }
  EXPECT_FALSE(mesh.has(kRanks));
  EXPECT_FALSE(mesh.has(-1));
}

TEST(Mesh, RefusesRanksThatAreNoGrid) {
  const auto message = [](std::vector<int> shape, std::vector<std::string> names = {},
                          std::vector<int> ranks = {}) {
    const auto mesh = DeviceMesh::make(std::move(shape), std::move(names), std::move(ranks));
    return mesh ? "accepted" : mesh.error().message;
  };
  EXPECT_EQ(message({}), "mesh shape: got no dimensions, expected at least one");
  EXPECT_EQ(message({2, 0}), "mesh shape: got size 0, expected at least 1");
  EXPECT_EQ(message({-2}), "mesh shape: got size -2, expected at least 1");
  EXPECT_EQ(message({4096, 4097}), "mesh shape: got more than 16777216 ranks");
  EXPECT_EQ(message({2, 2}, {"tp"}), "mesh names: got 1, expected one for each of 2 dimensions");
  EXPECT_EQ(message({2}, {"a", "b"}), "mesh names: got 2, expected one for each of 1 dimensions");
  EXPECT_EQ(message({2, 2}, {"tp", "tp"}), "mesh names: got one twice, expected different ones");
  EXPECT_EQ(message({2}, {}, {1}), "mesh ranks: got 1, expected one for each of 2 places");
  EXPECT_EQ(message({2}, {}, {1, 1}), "mesh ranks: got 1 twice, expected different ones");
  EXPECT_EQ(message({2}, {}, {-1, 1}), "mesh ranks: got -1, expected 0 or more");
  EXPECT_EQ(message({1}), "accepted");
  EXPECT_EQ(message({4096, 4096}), "accepted");
}

TEST(Mesh, OfSeveralSubmeshesHasReplicas) {
  const auto row = [](std::vector<int> ranks) {
    return DeviceMesh::make({2}, {"tp"}, std::move(ranks)).value();
  };
  const auto all = DeviceMesh::united({row({0, 1}), row({2, 3})}).value();
  EXPECT_EQ(all.shape(), std::vector{2});
  EXPECT_EQ(all.ranks(), (std::vector{0, 1, 2, 3}));
  EXPECT_EQ(all.replicas(), (std::vector<std::vector<int>>{{0, 1}, {2, 3}}));
  EXPECT_EQ(all.groups(0), all.replicas());
  EXPECT_EQ(all.coordinate(3), std::vector{1});
  EXPECT_EQ(all.replica(1), 0);
  EXPECT_EQ(all.replica(2), 1);
  EXPECT_FALSE(all.has(4));
  EXPECT_NE(all, row({0, 1}));
  EXPECT_EQ(DeviceMesh::united({row({1, 0})}), row({1, 0}));
  EXPECT_EQ(DeviceMesh::united({row({0, 1}), row({1, 2})}), std::nullopt);
  EXPECT_EQ(DeviceMesh::united({row({0, 1}), DeviceMesh::make({3}).value()}), std::nullopt);
  EXPECT_EQ(DeviceMesh::united({}), std::nullopt);
}

TEST(Mesh, IsWrittenAndRead) {
  const auto mesh = DeviceMesh::make({2, 4}, {"dp", "tp"}).value();
  EXPECT_EQ(toText(mesh), "2x4:dp,tp");
  EXPECT_EQ(parseMesh("2x4:dp,tp").value(), mesh);
  EXPECT_EQ(parseMesh("2 x 4: dp, tp ").value(), mesh);
  EXPECT_EQ(parseMesh("4").value(), DeviceMesh::make({4}).value());
  EXPECT_EQ(parseMesh("2x").error().message,
            "got 2x, expected sizes as 2x4, perhaps with names as 2x4:dp,tp");
  EXPECT_FALSE(parseMesh("").has_value());
  EXPECT_EQ(parseMesh("2x4:dp").error().message,
            "mesh names: got 1, expected one for each of 2 dimensions");
}

}  // namespace
}  // namespace shardlens
