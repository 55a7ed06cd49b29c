#include "ui/scenes/sampling.h"

#include <gmock/gmock.h>

namespace shardlens {
namespace {

TEST(Sampling, SpansStayInsideARun) {
  using Stretches = std::vector<Stretch>;
  EXPECT_EQ(sampled({{0, 3}}, 3), (Stretches{{0, 1}, {1, 1}, {2, 1}}));
  EXPECT_EQ(sampled({{0, 4}, {8, 4}}, 4), (Stretches{{0, 2}, {2, 2}, {4, 2}, {6, 2}}));
  EXPECT_EQ(sampled({{0, 4}, {8, 3}}, 3), (Stretches{{0, 3}, {3, 1}, {4, 3}}));
  EXPECT_EQ(sampled({{0, 5}, {8, 1}}, 3), (Stretches{{0, 3}, {3, 2}, {5, 1}}));
  EXPECT_EQ(sampled({{0, 4}, {8, 4}}, 1),
            (Stretches{{0, 4}}));  // the rest is left out, and counted
  EXPECT_EQ(sampled({{0, 1000000}}, 2), (Stretches{{0, 500000}, {500000, 500000}}));
  EXPECT_TRUE(sampled({}, 4).empty());
}

}  // namespace
}  // namespace shardlens
