#include "ui/scenes/assembled.h"

#include "core/model/spec.h"
#include "tests/ui/support/laid.h"

#include <gmock/gmock.h>

#include <cmath>

namespace shardlens {
namespace {

using testing::ElementsAre;

TEST(Assembled, PredictsThePendingReduction) {
  const Laid pending = lookup(EventKind::Result, 3, "y");
  const Laid reduced = lookup(EventKind::Result, 4, "z");
  EXPECT_EQ(pending.whole.values, reduced.whole.values);
  EXPECT_EQ(pending.whole.missing, 0);
  EXPECT_EQ(pending.whole.tableRows[3], 9);
}

TEST(Assembled, DoesNotPredictMaskedLocalIds) {
  const Laid laid = lookup(EventKind::Result, 3, "x'");
  EXPECT_TRUE(laid.view.localIds);
  EXPECT_TRUE(laid.whole.values.empty());
  EXPECT_EQ(laid.whole.gap, Gap::LocalIds);
  EXPECT_FALSE(lookup(EventKind::Result, 3, "y").view.localIds);
}

TEST(Assembled, PredictsOverflow) {
  Laid laid;
  recordTensor(laid.journal, "3:tp", {2}, {Partial{}});
  overwrite(laid.journal, 0, {1e38F, 1});
  overwrite(laid.journal, 1, {1e38F, 1});
  overwrite(laid.journal, 2, {3e38F, 1});
  laid.at(laid.journal.size(), 1);
  EXPECT_THAT(laid.whole.values, ElementsAre(HUGE_VAL, 3));
  EXPECT_EQ(laid.whole.infinities, 1);
  EXPECT_EQ(laid.whole.nans, 0);
}

TEST(Assembled, RoundsAsTheDtypeDoes) {
  EXPECT_EQ(rounded(DType::Float32, 16777217), 16777216);
  EXPECT_EQ(rounded(DType::Float64, 16777217), 16777217);
  EXPECT_EQ(rounded(DType::Float16, 2049), 2048);
  EXPECT_EQ(rounded(DType::Float16, 65519), 65504);
  EXPECT_EQ(rounded(DType::Float16, 65520), HUGE_VAL);
  EXPECT_EQ(rounded(DType::Float16, -65520), -HUGE_VAL);
  EXPECT_EQ(rounded(DType::Float16, std::ldexp(1, -25)), 0);  // a tie, rounded to even
  EXPECT_EQ(rounded(DType::BFloat16, 257), 256);
  EXPECT_EQ(rounded(DType::Int8, 128), -128);
  EXPECT_EQ(rounded(DType::UInt8, 256), 0);
  EXPECT_TRUE(std::isnan(rounded(DType::Float16, NAN)));
}

TEST(Assembled, NamesTheReasonWithoutAWhole) {
  EXPECT_EQ(tensor("4:tp", {5, 2}, {Shard{0}}).whole.gap, Gap::None);
  EXPECT_EQ(tensor("2:tp", {0, 2}, {Shard{0}}).whole.gap, Gap::NoElements);
  EXPECT_FALSE(tensor("64:tp", {1 << 20}, {Shard{0}}).whole.isLarge);
  EXPECT_TRUE(tensor("128:tp", {(1 << 20) + 1}, {Shard{0}}).whole.isLarge);
  EXPECT_EQ(tensor("2:tp", {4}, {Shard{0}}, {{}, "0"}).whole.gap, Gap::Elsewhere);
  Laid laid;
  recordTensor(laid.journal, "2:tp", {4}, {Shard{0}});
  ValueRecord bare = *laid.journal.value(1, 1, laid.journal.size());
  bare.data = nullptr;
  laid.journal.onValue(bare);
  laid.at(laid.journal.size(), 1);
  EXPECT_EQ(laid.whole.gap, Gap::NotCaptured);
  ValueRecord other = *laid.journal.value(1, 0, laid.journal.size());
  other.shape = {1, 2};
  laid.journal.onValue(other);
  other.rank = 1;
  laid.journal.onValue(other);
  laid.at(laid.journal.size(), 1);
  EXPECT_EQ(laid.whole.gap, Gap::UnknownCut);
}

TEST(Assembled, ReadsTheSameWholeByElement) {
  const Laid all[] = {
      tensor("2x2:dp,tp", {5, 3}, {Shard{0}, Shard{0}}),
      tensor("2x2:dp,tp", {4, 4}, {Shard{1}, Partial{}}), tensor("4:tp", {6, 2, 3}, {Shard{2}}),
      tensor("4:tp", {3}, {Partial{ReduceOp::Avg}}), lookup(EventKind::Result, 3, "y")};
  for (const Laid& laid : all) {
    const WholeElements whole(laid.view);
    ASSERT_EQ(whole.gap(), Gap::None);
    ASSERT_FALSE(laid.whole.values.empty());
    for (std::size_t flat = 0; flat < laid.whole.values.size(); ++flat) {
      const Shape at = coordinates(laid.whole.shape, static_cast<std::int64_t>(flat));
      EXPECT_EQ(whole.at(at), laid.whole.values[flat]) << toText(at);
    }
  }
}

}  // namespace
}  // namespace shardlens
