#include "core/model/route.h"

#include <gtest/gtest.h>

#include <unordered_map>

namespace shardlens {
namespace {

TEST(Route, IsReadAsItWasWritten) {
  for (const char* text : {"S(0)", "S(0) -> R", "MaskP(sum, [10, 3], 0) -> P(sum) -> SS(0, 2)",
                           "(S(0), R) -> (R, R) -> (R, S(1))"}) {
    const auto route = parseRoute(text);
    ASSERT_TRUE(route) << text;
    EXPECT_EQ(routeText(*route), text);
  }
  const Placements from{Shard{0}, Replicate{}}, to{Replicate{}, Replicate{}};
  EXPECT_EQ(parseRoute("(S(0), R) -> (R, R)").value(), (Route{from, to}));
}

TEST(Route, RefusesTextThatIsNone) {
  for (const char* text : {"", " -> ", "S(0) -> ", "S(0)->R", "S(0)R -> RR", "R -> X"}) {
    EXPECT_FALSE(parseRoute(text)) << text;
  }
}

TEST(Route, IsFoundByAChangeWithoutACopy) {
  const Placements from{Shard{0}}, to{Replicate{}};
  std::unordered_map<Route, int, RouteHash, RouteEqual> routes{{{from, to}, 1}, {{from, from}, 2}};
  EXPECT_EQ(routes.find(PlacementChange{from, to})->second, 1);
  EXPECT_EQ(routes.find(PlacementChange{from, from})->second, 2);
  EXPECT_EQ(routes.find(PlacementChange{to, from}), routes.end());
  EXPECT_NE(RouteHash()(Route{from, to}), RouteHash()(Route{{Shard{0}, Replicate{}}}));
}

}  // namespace
}  // namespace shardlens
