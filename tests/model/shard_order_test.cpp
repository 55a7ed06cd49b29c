#include "core/model/shard_order.h"

#include "core/model/shard_geometry.h"
#include "tests/model/written.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace shardlens {
namespace {

const Placements kShards(3, Shard{0});

// Returns all permutations of the mesh dimensions.
std::vector<std::vector<int>> ordersOf(const DeviceMesh& mesh) {
  std::vector<int> dims(static_cast<std::size_t>(mesh.ndim()));
  std::iota(dims.begin(), dims.end(), 0);
  std::vector<std::vector<int>> orders;
  do {
    orders.push_back(dims);
  } while (std::next_permutation(dims.begin(), dims.end()));
  return orders;
}

std::vector<MeshPtr> smallMeshes() {
  std::vector<MeshPtr> meshes;
  for (int a = 1; a <= 4; ++a) {
    for (int b = 1; b <= 4; ++b) {
      meshes.push_back(meshOf({a, b}));
      for (int c = 1; c <= 3; ++c) meshes.push_back(meshOf({a, b, c}));
    }
  }
  return meshes;
}

Placements inOrder(const DeviceMesh& mesh, const std::vector<int>& order) {
  const Placements shards(static_cast<std::size_t>(mesh.ndim()), Shard{0});
  return placementsInOrder(shards, {{0, order}}, mesh).value();
}

// Returns the runs of a rank if these mesh dimensions shard n elements one after the other.
Runs shardedInOrder(std::int64_t n, const DeviceMesh& mesh, const std::vector<int>& order,
                    int rank) {
  Chunk held{0, n};
  for (const int dim : order) {
    const Chunk part = chunkOf(held.length, mesh.size(dim), mesh.coordinate(rank, dim));
    held = {held.begin + part.begin, part.length};
  }
  return held.length > 0 ? Runs{{held.begin, held.length}} : Runs{};
}

bool sameParts(std::int64_t n, const DeviceMesh& mesh, const std::vector<int>& order) {
  const auto placements = inOrder(mesh, order);
  for (int rank = 0; rank < mesh.size(); ++rank) {
    if (ownedRuns({n}, mesh, placements, rank).front() != shardedInOrder(n, mesh, order, rank)) {
      return false;
    }
  }
  return true;
}

TEST(ShardOrder, IsEncodedByStridedShards) {
  const auto mesh = meshOf({2, 3, 4});
  EXPECT_EQ(inOrder(*mesh, {0, 1, 2}), kShards);
  EXPECT_EQ(toText(inOrder(*mesh, {1, 0, 2})), "(SS(0, 3), S(0), S(0))");
  EXPECT_EQ(toText(inOrder(*mesh, {2, 0, 1})), "(SS(0, 4), SS(0, 4), S(0))");
  EXPECT_EQ(toText(inOrder(*mesh, {2, 1, 0})), "(SS(0, 12), SS(0, 4), S(0))");
}

TEST(ShardOrder, IsAscendingByDefault) {
  const auto mesh = meshOf({2, 2, 2, 2});
  const auto shards = placementsOf("S(1) S(0) S(1) S(0)");
  EXPECT_EQ(placementsInOrder(shards, {}, *mesh).value(), shards);
  EXPECT_EQ(placementsInOrder(shards, {{1, {2, 0}}}, *mesh).value(),
            placementsOf("SS(1,2) S(0) S(1) S(0)"));
}

TEST(ShardOrder, IsReadFromPlacements) {
  const auto mesh = meshOf({2, 2, 2, 3});
  const auto read = [&](const std::string& placements) {
    return shardOrderOf(placementsOf(placements), *mesh);
  };
  EXPECT_EQ(read("S(1) R S(1) P(sum)"), (ShardOrder{{1, {0, 2}}}));
  EXPECT_EQ(read("SS(0,2) S(1) S(0) S(1)"), (ShardOrder{{0, {2, 0}}, {1, {1, 3}}}));
  EXPECT_EQ(read("R R R R"), ShardOrder());
  EXPECT_EQ(read("SS(0,2) R R R"), std::nullopt);
  EXPECT_EQ(read("SS(0,4) R S(0) S(0)"), std::nullopt);
}

TEST(ShardOrder, ComesBackFromItsPlacements) {
  for (const auto& mesh : smallMeshes()) {
    const auto& sizes = mesh->shape();
    if (std::find(sizes.begin(), sizes.end(), 1) != sizes.end()) continue;
    for (const auto& order : ordersOf(*mesh)) {
      EXPECT_EQ(shardOrderOf(inOrder(*mesh, order), *mesh), (ShardOrder{{0, order}}));
    }
  }
}

TEST(ShardOrder, GivesEqualPartsAsShardingInOrder) {
  for (const auto& mesh : smallMeshes()) {
    for (const auto& order : ordersOf(*mesh)) {
      for (int each = 0; each <= 3; ++each) {
        EXPECT_TRUE(sameParts(std::int64_t{each} * mesh->size(), *mesh, order))
            << toText(inOrder(*mesh, order)) << " of " << each << " elements a rank";
      }
    }
  }
}

TEST(ShardOrder, LeavesUnequalPartsToTheStridedShards) {
  const auto twoByTwo = meshOf({2, 2});
  for (int n = 0; n < 40; ++n) EXPECT_TRUE(sameParts(n, *twoByTwo, {1, 0})) << n;
  const auto mesh = meshOf({3, 2});
  EXPECT_FALSE(sameParts(7, *mesh, {1, 0}));
  EXPECT_EQ(ownedRuns({7}, *mesh, inOrder(*mesh, {1, 0}), 4).front(), (Runs{{6, 1}}));
  EXPECT_EQ(shardedInOrder(7, *mesh, {1, 0}, 5), (Runs{{6, 1}}));
}

TEST(ShardOrder, RefusesMeshDimensionsThatDoNotShard) {
  const auto mesh = meshOf({2, 2, 2});
  const auto refusal = [&](const std::string& placements, const ShardOrder& order) {
    return placementsInOrder(placementsOf(placements), order, *mesh).error().message;
  };
  EXPECT_EQ(refusal("S(0) R S(0)", {{0, {1, 0}}}),
            "shard_order of tensor dimension 0: got [1, 0], expected the mesh dimensions that "
            "shard it, [0, 2] in any order");
  EXPECT_EQ(refusal("S(0) R S(0)", {{0, {2, 0, 0}}}),
            "shard_order of tensor dimension 0: got [2, 0, 0], expected the mesh dimensions that "
            "shard it, [0, 2] in any order");
  EXPECT_EQ(refusal("S(0) R S(0)", {{4, {0, 2}}}),
            "shard_order of tensor dimension 4: got [0, 2], expected the mesh dimensions that "
            "shard it, and none does");
  EXPECT_EQ(refusal("SS(0,2) R S(1)", {{1, {2}}}),
            "DTensorSpec doesn't allow specify shard_order when use_strided_shard_as_shard_order "
            "is True. This may result in conflicting shard order: got (SS(0, 2), R, S(1)), "
            "expected no strided shard");
}

}  // namespace
}  // namespace shardlens
