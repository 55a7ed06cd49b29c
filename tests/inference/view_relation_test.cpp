#include "core/inference/view_relation.h"

#include <gtest/gtest.h>

#include <algorithm>

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

// A dimension of which each rank has one element, as of the batch or the heads, may be the shard.
TEST(ViewRelation, MayShardADimensionOfOne) {
  PlacementCodes codes;
  const int first = codes.codeOf(Shard{0}), second = codes.codeOf(Shard{1});
  const auto has = [&](const Shape& from, const Shape& to, int input, int output) {
    const auto rows = viewRelation(codes, from, to).rows;
    return std::find(rows.begin(), rows.end(), Relation::Row{{input}, {output}}) != rows.end();
  };
  for (const int input : {first, second}) EXPECT_TRUE(has({1, 4, 6}, {4, 6}, input, first));
  for (const int output : {first, second}) EXPECT_TRUE(has({4, 6}, {1, 4, 6}, first, output));
  // The heads of each of four rows are merged with the rows, or with what each head has.
  const int strided = codes.codeOf(StridedShard{0, 4});
  for (const int output : {strided, second}) EXPECT_TRUE(has({4, 1, 6}, {4, 6}, second, output));
  EXPECT_FALSE(has({4, 1}, {4}, second, first));
  // Values of each rank may be parts in a new dimension.
  for (const int output : {first, PlacementCodes::kOther}) {
    EXPECT_TRUE(has({4}, {1, 4}, PlacementCodes::kOther, output));
  }
}

TEST(ViewRelation, HasNoShardsWithoutElements) {
  for (const auto& [from, to] : {std::pair<Shape, Shape>{{0, 3}, {0}}, {{2, 0}, {0, 5}}}) {
    EXPECT_EQ(through(from, to, Replicate{}), Placement(Replicate{}));
    EXPECT_EQ(through(from, to, Shard{0}), std::nullopt);
  }
}

// A view as bytes has four times as many elements.
TEST(ViewRelation, IsUnknownIfTheElementsDiffer) {
  PlacementCodes codes;
  EXPECT_FALSE(viewRelation(codes, {3, 4}, {3, 16}).isKnown);
}

}  // namespace
}  // namespace shardlens
