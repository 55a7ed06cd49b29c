#include "core/inference/view_relation.h"

#include <gtest/gtest.h>

namespace shardlens {
namespace {

std::optional<Placement> through(const Shape& from, const Shape& to, const Placement& placement) {
  PlacementCodes codes;
  const auto relation = viewRelation(codes, from, to);
  const int code = codes.codeOf(placement);
  for (const auto& row : relation.rows) {
    if (row.inputs.front() != code) continue;
    const int out = row.outputs.front();
    return out == PlacementCodes::kReplicate ? Placement(Replicate{}) : codes.placementOf(out);
  }
  return std::nullopt;
}

TEST(ViewRelation, FollowsTheOuterDimension) {
  EXPECT_EQ(through({4, 6}, {4, 2, 3}, Shard{1}), Placement(Shard{1}));
  EXPECT_EQ(through({4, 6}, {24}, Shard{0}), Placement(Shard{0}));
  EXPECT_EQ(through({4, 6}, {4, 6}, Shard{1}), Placement(Shard{1}));
  EXPECT_EQ(through({4, 6}, {24}, Replicate{}), Placement(Replicate{}));
  EXPECT_EQ(through({4, 6}, {24}, Partial{}), Placement(Partial{}));
}

TEST(ViewRelation, MakesStridedShardsOfInnerDimensions) {
  EXPECT_EQ(through({4, 6}, {24}, Shard{1}), Placement(StridedShard{0, 4}));
  EXPECT_EQ(through({24}, {4, 6}, StridedShard{0, 4}), Placement(Shard{1}));
  EXPECT_EQ(through({24}, {4, 6}, StridedShard{0, 8}), std::nullopt);
}

// A rank with one row of many may have any part of the result.
TEST(ViewRelation, DoesNotGuessForDimensionsOfOne) {
  EXPECT_EQ(through({1, 4, 6}, {4, 6}, Shard{0}), std::nullopt);
}

TEST(ViewRelation, EndsForTensorsWithoutElements) {
  EXPECT_EQ(through({2, 0}, {0}, Replicate{}), Placement(Replicate{}));
  EXPECT_EQ(through({0}, {0, 3}, Replicate{}), Placement(Replicate{}));
}

}  // namespace
}  // namespace shardlens
