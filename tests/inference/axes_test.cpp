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

}  // namespace
}  // namespace shardlens
