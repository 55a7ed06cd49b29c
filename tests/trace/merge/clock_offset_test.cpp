#include "core/trace/merge/clock_offset.h"

#include <gtest/gtest.h>

#include <random>

namespace shardlens {
namespace {

TEST(AgreedRange, IsWhatMostRangesHaveInCommon) {
  const auto agreed = [](std::vector<OffsetRange> ranges) { return agreedRange(ranges); };
  EXPECT_EQ(agreed({}), std::nullopt);
  EXPECT_EQ(agreed({{3, 8}}), (OffsetRange{3, 8}));
  EXPECT_EQ(agreed({{3, 8}, {5, 9}, {6, 20}}), (OffsetRange{6, 8}));
  EXPECT_EQ(agreed({{3, 8}, {100, 110}, {6, 20}}), (OffsetRange{6, 8})) << "one is wrong";
  EXPECT_EQ(agreed({{3, 8}, {8, 9}}), (OffsetRange{8, 8}));
  EXPECT_EQ(agreed({{3, 8}, {10, 11}}), std::nullopt) << "one of two is no majority";
  EXPECT_EQ(agreed({{0, 10}, {0, 2}, {5, 7}}), (OffsetRange{0, 7})) << "either pair may be right";
  EXPECT_EQ(agreed({{8, 3}}), std::nullopt) << "an empty range";
}

// Two clocks whose offset is known, and collectives that a rank on each calls. Times are in
// nanoseconds of clock A. Clock B drifts.
class TwoClocks {
 public:
  static constexpr std::int64_t kTook = 300'000;  // at most, once both have called

  explicit TwoClocks(double drift) : drift_(drift) {}

  std::int64_t truth(std::int64_t time) const {
    return 7'000'000'000 - static_cast<std::int64_t>(drift_ * static_cast<double>(time));
  }
  // B calls `late` after A, or before if it is negative. Each returns within kTook after both have
  // called; one of ten is held up. It finds the collective complete up to `observed` later.
  void call(std::int64_t time, std::int64_t late, std::int64_t observed = 0) {
    const std::int64_t both = std::max(time, time + late);
    const auto side = [&](std::int64_t called, std::int64_t offset) {
      const std::int64_t heldUp = any(9) == 0 ? any(20'000'000) : 0;
      const std::int64_t done = both + kTook / 2 + any(kTook / 2) + heldUp;
      const std::int64_t returned = done + any(observed);
      return CollectiveSide{called - offset, returned - offset, done - offset};
    };
    offset_.add(time, side(time, 0), side(time + late, truth(time)));
  }
  // Expects that the truth is within the bounds at `time`, and returns the error that they admit.
  std::int64_t expectTruth(std::int64_t time) const {
    const auto range = offset_.at(time);
    EXPECT_TRUE(range);
    if (!range) return -1;
    EXPECT_LE(range->least, truth(time)) << "at " << time;
    EXPECT_GE(range->most, truth(time)) << "at " << time;
    return range->error();
  }
  std::int64_t any(std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(0, most)(random_);
  }

 private:
  double drift_;
  ClockOffset offset_;
  std::mt19937_64 random_{5};
};

constexpr std::int64_t kSecond = 1'000'000'000;

TEST(ClockOffset, WithoutCollectivesIsUnknown) { EXPECT_EQ(ClockOffset().at(5), std::nullopt); }

TEST(ClockOffset, IsBoundedOnBothSidesWhileClocksDrift) {
  for (const double drift : {0.0, 50e-6, -50e-6}) {
    TwoClocks clocks(drift);
    for (std::int64_t time = 0; time < 60 * kSecond; time += 50'000'000) {
      clocks.call(time, clocks.any(4'000'000) - 2'000'000);
    }
    for (std::int64_t time = 0; time < 60 * kSecond; time += 333'000'000) {
      EXPECT_LE(clocks.expectTruth(time), 3 * TwoClocks::kTook) << drift;
    }
  }
}

TEST(ClockOffset, IsKnownAlthoughOneSideIsAlwaysLate) {
  for (const std::int64_t late : {kSecond / 2, -kSecond / 2}) {
    TwoClocks clocks(20e-6);
    for (std::int64_t time = 0; time < 20 * kSecond; time += kSecond) clocks.call(time, late);
    EXPECT_LE(clocks.expectTruth(10 * kSecond), 3 * TwoClocks::kTook);
  }
}

TEST(ClockOffset, AllowsForCompletionsThatWereObservedLate) {
  constexpr std::int64_t kObserved = 40'000'000;
  TwoClocks clocks(0);
  for (int i = 0; i < 20; ++i) clocks.call(i * kSecond, clocks.any(1000), kObserved);
  EXPECT_LE(clocks.expectTruth(10 * kSecond), kObserved);
}

TEST(ClockOffset, IsLessExactLongAfterACollective) {
  TwoClocks clocks(90e-6);
  clocks.call(0, 1000);
  const std::int64_t soon = clocks.expectTruth(1000);
  const std::int64_t later = clocks.expectTruth(100 * kSecond);
  EXPECT_GE(later, soon + 9'000'000);
  clocks.call(200 * kSecond, 1000);
  EXPECT_LE(clocks.expectTruth(199 * kSecond), soon + 1'000'000) << "the later one is near";
}

TEST(ClockOffset, IgnoresACollectiveThatCannotHaveBeen) {
  ClockOffset offset;
  offset.add(0, {100, 90, 90}, {100, 120, 120});
  EXPECT_EQ(offset.at(0), std::nullopt);
}

}  // namespace
}  // namespace shardlens
