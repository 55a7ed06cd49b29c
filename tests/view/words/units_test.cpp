#include "core/view/words/units.h"

#include "core/view/words/names.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace shardlens::view {
namespace {

TEST(Units, Durations) {
  EXPECT_EQ(durationText(-1), "not finished");
  EXPECT_EQ(durationText(0), "0 ns");
  EXPECT_EQ(durationText(999), "999 ns");
  EXPECT_EQ(durationText(1000), "1.0 us");
  EXPECT_EQ(durationText(8600), "8.6 us");
  EXPECT_EQ(durationText(999'949), "999.9 us");
  EXPECT_EQ(durationText(999'950), "1.0 ms");
  EXPECT_EQ(durationText(123'000'000), "123.0 ms");
  EXPECT_EQ(durationText(1'500'000'000), "1.5 s");
  EXPECT_EQ(durationText(7'200'000'000'000), "7200.0 s");
  EXPECT_EQ(microsecondsText(7.25), "7.2 us");
  EXPECT_EQ(microsecondsText(1450), "1.4 ms");
}

// A recording may have numbers that no planner computes.
TEST(Units, EstimatesOfAnySize) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  EXPECT_EQ(microsecondsText(0.04), "0.0 us");
  EXPECT_EQ(microsecondsText(std::nan("")), "0.0 us");
  EXPECT_EQ(microsecondsText(-kInfinite), "0.0 us");
  EXPECT_EQ(microsecondsText(kInfinite), "1000000000.0 s");
  EXPECT_EQ(estimatedBytesText(96.4), "96 B");
  EXPECT_EQ(estimatedBytesText(std::nan("")), "0 B");
  EXPECT_EQ(estimatedBytesText(kInfinite), estimatedBytesText(1e18));
}

TEST(Units, Counts) {
  EXPECT_EQ(plural(0, "rank"), "0 ranks");
  EXPECT_EQ(plural(1, "rank"), "1 rank");
  EXPECT_EQ(timesText(1), "once");
  EXPECT_EQ(timesText(3), "3 times");
  EXPECT_EQ(agoText(1), "1 event ago");
  EXPECT_EQ(ranksLabel({2}), "rank 2");
  EXPECT_EQ(ranksLabel({0, 1, 2, 3}), "ranks 0–3");
  EXPECT_EQ(ranksLabel({0, 2}), "ranks 0, 2");
  EXPECT_EQ(ranksLabel({0, 1}), "ranks 0, 1");
  EXPECT_EQ(ranksLabel({0, 1, 2, 4, 5, 7, 8, 9}), "ranks 0–2, 4, 5, 7–9");
  EXPECT_EQ(ranksLabel({1, 3, 5, 7}), "ranks 1, 3, 5, 7");
  EXPECT_EQ(ranksLabel({1, 3, 5, 7, 9}), "ranks 1–9 (stride 2)");
  EXPECT_EQ(ranksLabel({1, 3, 5, 7, 10}), "ranks 1, 3, 5, 7, 10");
}

TEST(Names, OfPlacementsAreShortWhereThereIsLittleRoom) {
  EXPECT_EQ(shortened("(R, MaskP(sum, [10, 3], 0)) -> (R, R)"), "(R, MaskP) → (R, R)");
  EXPECT_EQ(shortened("MaskP(sum"), "MaskP(sum");
  EXPECT_EQ(shortened("S(0)"), "S(0)");
}

TEST(Names, ThatNoRowCanShowAreCutBetweenCharacters) {
  const std::string most(20000, 'x');
  EXPECT_EQ(truncated(most), most);
  EXPECT_EQ(truncated(most + "x"), most + "…");
  EXPECT_EQ(truncated(most.substr(1) + "é"), most.substr(1) + "…");
}

TEST(Names, OfTensorsListTheRanksOfTheMesh) {
  const std::string name = "t";
  Spec spec(DType::Float32, {4, 2}, {Shard{0}, Replicate{}});
  const TensorRecord tensor{1, name, spec.meta.dtype, spec.meta.shape, spec.placements, spec.mesh};
  EXPECT_EQ(tensorText(tensor), "f32[4, 2]");
  EXPECT_EQ(placedAsRecorded(tensor), "S(0), R");
  spec.mesh = shared(DeviceMesh::make({2}, {"pp"}, {0, 3}).value());
  EXPECT_EQ(placedAsRecorded(tensor), "S(0), R on ranks 0, 3");
}

}  // namespace
}  // namespace shardlens::view
