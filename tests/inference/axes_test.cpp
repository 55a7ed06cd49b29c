#include "core/inference/axes.h"

#include <gtest/gtest.h>

namespace shardlens {
namespace {

TEST(RankAxes, AreParsed) {
  const auto axis = parseRankAxis("tp=1,0|2,3");
  ASSERT_TRUE(axis);
  EXPECT_EQ(*axis, (RankAxis{"tp", {{0, 1}, {2, 3}}}));
  for (const char* wrong : {"tp", "=0,1", "tp=", "tp=0|1", "tp=0,1|1,2", "tp=0,1|2,3,4"}) {
    EXPECT_FALSE(parseRankAxis(wrong)) << wrong;
  }
}

TEST(RankAxes, AreCoveredByGroupsOfWholeAxes) {
  const RankAxis tp{"tp", {{0, 1}, {2, 3}}};
  EXPECT_TRUE(covers({{0, 1}, {2, 3}}, tp));
  EXPECT_TRUE(covers({{0, 1, 2, 3}}, tp));
  EXPECT_FALSE(covers({{0, 2}, {1, 3}}, tp));
  EXPECT_FALSE(covers({}, tp));
}

// The axis of the most distant ranks comes first, as in programs.
TEST(RankAxes, MakeAMesh) {
  const RankAxis tp{"tp", {{0, 1}, {2, 3}}}, dp{"dp", {{0, 2}, {1, 3}}};
  const auto found = meshOf({tp, dp});
  ASSERT_TRUE(found);
  EXPECT_EQ(toText(found->mesh), "2x2:dp,tp");
  EXPECT_EQ(found->axes, (std::vector<std::size_t>{1, 0}));
  EXPECT_EQ(found->mesh.groups(0), dp.groups);
  EXPECT_FALSE(meshOf({}));
  EXPECT_FALSE(meshOf({tp, {"pairs", {{0, 1}, {2, 3}}}}));    // they share pairs of ranks
  EXPECT_FALSE(meshOf({tp, {"tp", {{0, 2}, {1, 3}}}}));       // one name twice
  EXPECT_FALSE(meshOf({tp, {"crossed", {{0, 3}, {1, 2}}}}));  // no grid in this order
}

}  // namespace
}  // namespace shardlens
