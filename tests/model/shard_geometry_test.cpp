#include "core/model/shard_geometry.h"

#include "tests/model/written.h"

#include <gtest/gtest.h>

#include <numeric>

namespace shardlens {
namespace {

using Indices = std::vector<std::int64_t>;

// Splits a list as torch.chunk does: each piece takes up to ceil(n / parts) of what remains.
std::vector<Indices> dealt(const Indices& all, int parts) {
  const std::size_t share = (all.size() + parts - 1) / parts;
  std::vector<Indices> pieces(parts);
  auto next = all.begin();
  for (auto& piece : pieces) {
    while (next != all.end() && piece.size() < share) piece.push_back(*next++);
  }
  return pieces;
}

// Returns the indices that each coordinate of a mesh dimension retains of a list.
std::vector<Indices> kept(const Indices& all, const Placement& placement, int dim, int parts) {
  if (shardedDim(placement) != dim) return {static_cast<std::size_t>(parts), all};
  const auto* strided = std::get_if<StridedShard>(&placement);
  std::vector<Indices> lists(parts);
  for (const auto& piece : dealt(all, strided != nullptr ? strided->splitFactor : 1)) {
    const auto shares = dealt(piece, parts);
    for (int i = 0; i < parts; ++i) {
      lists[i].insert(lists[i].end(), shares[i].begin(), shares[i].end());
    }
  }
  return lists;
}

// Returns the indices along one tensor dimension for each rank, in rank order. Splits the whole
// list by one mesh dimension after the other.
std::vector<Indices> bruteForce(std::int64_t n, int dim, const std::vector<int>& mesh,
                                const Placements& placements) {
  Indices all(static_cast<std::size_t>(n));
  std::iota(all.begin(), all.end(), 0);
  std::vector<Indices> ranks{all};
  for (std::size_t meshDim = 0; meshDim < mesh.size(); ++meshDim) {
    std::vector<Indices> finer;
    for (const auto& list : ranks) {
      for (auto& part : kept(list, placements[meshDim], dim, mesh[meshDim])) {
        finer.push_back(std::move(part));
      }
    }
    ranks = std::move(finer);
  }
  return ranks;
}

Indices expanded(const Runs& runs) {
  Indices indices;
  for (const auto& run : runs) {
    for (std::int64_t i = 0; i < run.length; ++i) indices.push_back(run.begin + i);
  }
  return indices;
}

// Returns true if the runs are nonempty and maximal. Recordings and windows draw a block per run.
bool areShort(const Runs& runs) {
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (runs[i].length < 1) return false;
    if (i > 0 && runs[i - 1].begin + runs[i - 1].length == runs[i].begin) return false;
  }
  return true;
}

void compare(const Shape& shape, const std::vector<int>& meshShape, const Placements& placements) {
  const auto mesh = meshOf(meshShape);
  std::vector<std::vector<Indices>> expected;
  for (int dim = 0; dim < static_cast<int>(shape.size()); ++dim) {
    expected.push_back(bruteForce(shape[dim], dim, meshShape, placements));
  }
  for (int rank = 0; rank < mesh->size(); ++rank) {
    const auto runs = ownedRuns(shape, *mesh, placements, rank);
    const auto local = localShape(shape, *mesh, placements, rank);
    ASSERT_EQ(runs.size(), shape.size());
    ASSERT_EQ(local.size(), shape.size());
    for (std::size_t dim = 0; dim < shape.size(); ++dim) {
      const auto where = [&] {
        return toText(shape) + toText(placements) + " rank " + std::to_string(rank) + " of " +
               std::to_string(mesh->size()) + ", dimension " + std::to_string(dim);
      };
      ASSERT_EQ(expanded(runs[dim]), expected[dim][rank]) << where();
      ASSERT_TRUE(areShort(runs[dim])) << where();
      ASSERT_EQ(local[dim], totalLength(runs[dim])) << where();
    }
  }
}

void compareAll(const Shape& shape, const std::vector<int>& meshShape, const Placements& choices,
                Placements taken = {}) {
  if (taken.size() == meshShape.size()) return compare(shape, meshShape, taken);
  for (const auto& placement : choices) {
    auto more = taken;
    more.push_back(placement);
    compareAll(shape, meshShape, choices, std::move(more));
  }
}

const std::vector<std::vector<int>> kMeshes = {{1},    {2},    {3},    {5},       {2, 2},   {2, 3},
                                               {3, 2}, {1, 4}, {4, 1}, {2, 2, 2}, {2, 3, 2}};

TEST(ShardGeometry, OneDimensionOfEverySizeEqualsAnExplicitSplit) {
  const auto choices = placementsOf("R S(0) SS(0,1) SS(0,2) SS(0,3) SS(0,5)");
  for (const auto& mesh : kMeshes) {
    for (std::int64_t n = 0; n <= 26; ++n) compareAll({n}, mesh, choices);
  }
}

TEST(ShardGeometry, TwoDimensionsAreShardedIndependently) {
  const auto choices = placementsOf("R S(0) S(1) SS(0,2) SS(1,3) P(sum)");
  for (const auto& mesh : kMeshes) {
    for (const auto& shape : {Shape{8, 6}, Shape{5, 7}, Shape{1, 13}, Shape{0, 3}}) {
      compareAll(shape, mesh, choices);
    }
  }
}

TEST(ShardGeometry, AScalarHasNoRuns) {
  const auto mesh = meshOf({2, 2});
  EXPECT_EQ(ownedRuns({}, *mesh, placementsOf("R P(sum)"), 3), std::vector<Runs>{});
  EXPECT_EQ(localShape({}, *mesh, placementsOf("R P(sum)"), 3), Shape{});
}

std::vector<Runs> alongDim0(const Shape& shape, const std::string& placements) {
  std::vector<Runs> ranks;
  const auto mesh = meshOf({2, 2});
  for (int rank = 0; rank < 4; ++rank) {
    ranks.push_back(ownedRuns(shape, *mesh, placementsOf(placements), rank)[0]);
  }
  return ranks;
}

TEST(ShardGeometry, TheWorkedExamplesHold) {
  EXPECT_EQ(alongDim0({5}, "S(0) S(0)"),
            (std::vector<Runs>{{{0, 2}}, {{2, 1}}, {{3, 1}}, {{4, 1}}}));
  EXPECT_EQ(alongDim0({8}, "SS(0,2) S(0)"),
            (std::vector<Runs>{{{0, 2}}, {{4, 2}}, {{2, 2}}, {{6, 2}}}));
}

TEST(ShardGeometry, AnInnerRunIsFoundInItsOuterRuns) {
  EXPECT_EQ(runsWithin({{3, 2}}, {{1, 1}, {3, 4}}), (Runs{{1, 2}}));
  EXPECT_EQ(runsWithin({{1, 1}, {5, 2}}, {{1, 1}, {3, 4}}), (Runs{{0, 1}, {3, 2}}));
  // Runs that are separate in the tensor may be adjacent in the whole.
  EXPECT_EQ(runsWithin({{1, 1}, {3, 2}}, {{1, 1}, {3, 4}}), (Runs{{0, 3}}));
  EXPECT_EQ(runsWithin({}, {{1, 1}}), Runs{});
}

TEST(ShardGeometry, CommonRunsAreTheIntersection) {
  EXPECT_EQ(commonRuns({{0, 4}, {6, 2}}, {{2, 5}}), (Runs{{2, 2}, {6, 1}}));
  EXPECT_EQ(commonRuns({{0, 4}}, {{4, 4}}), Runs{});
  EXPECT_EQ(commonRuns({{0, 4}, {4, 1}}, {{3, 2}}), (Runs{{3, 2}}));
  EXPECT_EQ(commonRuns({}, {{0, 2}}), Runs{});
}

TEST(ShardGeometry, RowsMaskedOverSeveralMeshDimensionsAreShardedByAll) {
  const auto mesh = meshOf({2, 2});
  const auto masks = placementsOf("MaskP(sum,[10,3],0) MaskP(sum,[10,3],0)");
  const auto& masked = std::get<MaskPartial>(masks.front());
  const auto rowsOf = [&](const Placements& placements, int rank) {
    const Chunk rows = ownedRows(*mesh, placements, masked, rank);
    return std::pair(rows.begin, rows.length);
  };
  EXPECT_EQ(rowsOf(masks, 3), std::pair(std::int64_t{8}, std::int64_t{2}));
  EXPECT_EQ(rowsOf({masks.front(), Replicate{}}, 3), std::pair(std::int64_t{5}, std::int64_t{5}));
}

TEST(ShardGeometry, TheLastChunksAreShortOrEmpty) {
  const auto lengths = [](std::int64_t n, int parts) {
    std::vector<std::int64_t> all;
    for (int part = 0; part < parts; ++part) all.push_back(chunkOf(n, parts, part).length);
    return all;
  };
  EXPECT_EQ(lengths(8, 4), (Indices{2, 2, 2, 2}));
  EXPECT_EQ(lengths(9, 4), (Indices{3, 3, 3, 0}));
  EXPECT_EQ(lengths(5, 4), (Indices{2, 2, 1, 0}));
  EXPECT_EQ(lengths(1, 3), (Indices{1, 0, 0}));
  EXPECT_EQ(lengths(0, 2), (Indices{0, 0}));
  EXPECT_EQ(chunkOf(5, 4, 3).begin, 5);
}

}  // namespace
}  // namespace shardlens
