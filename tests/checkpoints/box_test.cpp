#include "core/base/box.h"

#include "core/checkpoints/element_runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace shardlens {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

TEST(BoxTest, SizesFromAFileAreCheckedBeforeTheyAreMultiplied) {
  EXPECT_EQ(elementsOf({7, 5}), 35);
  EXPECT_EQ(elementsOf({}), 1);
  EXPECT_EQ(elementsOf({0, INT64_MAX, INT64_MAX}), 0);
  EXPECT_EQ(elementsOf({INT64_MAX, INT64_MAX}), std::nullopt);
  EXPECT_EQ(elementsOf({std::int64_t{1} << 56}), std::int64_t{1} << 56);
  EXPECT_EQ(elementsOf({(std::int64_t{1} << 56) + 1}), std::nullopt);
  EXPECT_EQ(elementsOf({3, -1}), std::nullopt);
}

TEST(BoxTest, ABoxIsWithinAShape) {
  EXPECT_TRUE(isWithin({{4, 0}, {3, 5}}, {7, 5}));
  EXPECT_TRUE(isWithin({{7, 0}, {0, 5}}, {7, 5}));
  EXPECT_FALSE(isWithin({{5, 0}, {3, 5}}, {7, 5}));
  EXPECT_FALSE(isWithin({{INT64_MAX, 0}, {INT64_MAX, 5}}, {7, 5}));
  EXPECT_FALSE(isWithin({{-1, 0}, {3, 5}}, {7, 5}));
  EXPECT_FALSE(isWithin({{0}, {7}}, {7, 5}));
}

TEST(BoxTest, PartsThatNoBoxCoversAreFound) {
  const Box whole = wholeOf({4, 4});
  EXPECT_THAT(*uncovered(whole, {{{0, 0}, {4, 2}}, {{0, 2}, {4, 2}}}, 10), ElementsAre());
  EXPECT_THAT(*uncovered(whole, {{{1, 1}, {2, 2}}}, 10),
              UnorderedElementsAre(Box{{0, 0}, {1, 4}}, Box{{3, 0}, {1, 4}}, Box{{1, 0}, {2, 1}},
                                   Box{{1, 3}, {2, 1}}));
  EXPECT_EQ(uncovered(whole, {{{1, 1}, {2, 2}}}, 3), std::nullopt);
  EXPECT_THAT(*uncovered(wholeOf({}), {}, 10), ElementsAre(Box{}));
  EXPECT_THAT(*uncovered(wholeOf({}), {Box{}}, 10), ElementsAre());
}

TEST(BoxTest, BoxesThatOverlapAreFound) {
  const auto pairs = overlappingBoxes({{{0, 0}, {2, 4}}, {{0, 4}, {2, 4}}, {{1, 3}, {1, 1}}}, 10);
  ASSERT_EQ(pairs.size(), 1U);
  EXPECT_EQ(pairs[0].first + pairs[0].second, 2U);
  EXPECT_TRUE(overlappingBoxes({{{0}, {2}}, {{2}, {2}}}, 10).empty());
  EXPECT_EQ(overlappingBoxes({{{0}, {3}}, {{1}, {3}}, {{2}, {3}}}, 10).size(), 3U);
  EXPECT_EQ(overlappingBoxes({{{0}, {3}}, {{1}, {3}}, {{2}, {3}}}, 1).size(), 1U);
  EXPECT_EQ(overlappingBoxes({Box{}, Box{}}, 10).size(), 1U);
}

TEST(BoxTest, RunsAreABoxInRowMajorOrder) {
  std::vector<Extents> begins;
  std::vector<std::int64_t> counts;
  const auto visit = [&](const Extents& index, std::int64_t count) {
    begins.push_back(index);
    counts.push_back(count);
    return true;
  };
  EXPECT_TRUE(forEachRun({{1, 2, 3}, {2, 1, 3}}, 2, visit));
  EXPECT_THAT(begins,
              ElementsAre(Extents{1, 2, 3}, Extents{1, 2, 5}, Extents{2, 2, 3}, Extents{2, 2, 5}));
  EXPECT_THAT(counts, ElementsAre(2, 1, 2, 1));
  begins.clear();
  EXPECT_TRUE(forEachRun({}, 2, visit));
  EXPECT_THAT(begins, ElementsAre(Extents{}));
  EXPECT_TRUE(forEachRun({{0}, {0}}, 2, visit));
  EXPECT_EQ(begins.size(), 1U);
  EXPECT_FALSE(forEachRun({{0}, {9}}, 2, [](const Extents&, std::int64_t) { return false; }));
}

}  // namespace
}  // namespace shardlens
