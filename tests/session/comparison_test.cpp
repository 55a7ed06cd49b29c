#include "core/session/check/comparison.h"

#include "core/tensor/dispatch/make_runtime.h"
#include "core/tensor/distribute.h"

#include <ATen/ATen.h>
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <limits>

namespace shardlens {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::shared_ptr<Runtime> onRanks(std::vector<int> shape) {
  return makeSimulatedRuntime(DeviceMesh::make(std::move(shape)).value());
}

at::Tensor numbers(std::vector<double> values, at::ScalarType type) {
  return at::tensor(values, at::kDouble).to(type);
}

bool agree(at::ScalarType type, double got, double expected) {
  const auto sharded = distribute(onRanks({2}), numbers({0, got}, type), {Shard{0}});
  return compare(sharded, numbers({0, expected}, type)).agrees;
}

TEST(Comparison, OfFloatsHasTheTolerancesOfAssertClose) {
  EXPECT_TRUE(agree(at::kFloat, 1.0000112, 1));
  EXPECT_FALSE(agree(at::kFloat, 1.0000115, 1));
  EXPECT_TRUE(agree(at::kFloat, 1000.00125, 1000));
  EXPECT_FALSE(agree(at::kFloat, 1000.0014, 1000));
  EXPECT_TRUE(agree(at::kDouble, 1 + 1.9e-7, 1));
  EXPECT_FALSE(agree(at::kDouble, 1 + 2.1e-7, 1));
  EXPECT_TRUE(agree(at::kHalf, 1 + 0x1p-10, 1));
  EXPECT_FALSE(agree(at::kHalf, 1 + 0x1p-9, 1));
  EXPECT_TRUE(agree(at::kBFloat16, 1 + 0x1p-6, 1));
  EXPECT_FALSE(agree(at::kBFloat16, 1 + 3 * 0x1p-7, 1));
}

TEST(Comparison, OfIntegersAndBoolsIsExact) {
  EXPECT_TRUE(agree(at::kInt, 7, 7));
  EXPECT_FALSE(agree(at::kInt, 8, 7));
  EXPECT_FALSE(agree(at::kBool, 1, 0));
  // These two integers are equal as doubles.
  const auto large = at::tensor({(std::int64_t{1} << 53) + 1}, at::kLong);
  const auto found = compare(distribute(onRanks({2}), large, {Replicate{}}), large - 1);
  EXPECT_FALSE(found.agrees);
  EXPECT_EQ(found.difference.got, "9007199254740993");
  EXPECT_EQ(found.difference.expected, "9007199254740992");
}

TEST(Comparison, TakesNotANumberForNotANumberAndInfinityForItself) {
  for (const auto type : {at::kFloat, at::kDouble, at::kHalf}) {
    EXPECT_TRUE(agree(type, kNan, kNan));
    EXPECT_TRUE(agree(type, -kInfinity, -kInfinity));
    EXPECT_FALSE(agree(type, kNan, 1));
    EXPECT_FALSE(agree(type, 1, kNan));
    EXPECT_FALSE(agree(type, kInfinity, -kInfinity));
    EXPECT_FALSE(agree(type, 1, kInfinity));
    EXPECT_FALSE(agree(type, kNan, kInfinity));
  }
}

// The tolerance grows with the numbers: a difference of 1 is allowed at 1e6.
TEST(Comparison, NamesTheLargestDifferenceThatIsTooLarge) {
  const auto plain = at::zeros({5, 3});
  plain[2][0] = 1e6;
  auto near = plain.clone();
  near[2][0] = 1e6 + 1;
  auto far = near.clone();
  far[0][1] = 0.25;
  far[4][2] = 0.5;
  const auto runtime = onRanks({2, 2});
  struct Case {
    Placements placements;
    int nearRank, farRank;
  };
  for (const auto& [placements, nearRank, farRank] :
       {Case{{Replicate{}, Replicate{}}, 0, 0}, Case{{StridedShard{0, 2}, Replicate{}}, 2, 2},
        Case{{StridedShard{0, 2}, Shard{0}}, 2, 3}, Case{{Shard{1}, Shard{0}}, 0, 3}}) {
    EXPECT_EQ(compare(distribute(runtime, plain, placements), plain).difference, CheckRecord());
    const auto within = compare(distribute(runtime, near, placements), plain);
    EXPECT_TRUE(within.agrees);
    EXPECT_EQ(checkDetail(within.difference),
              fmt::format(R"({{"largest":1,"relative":1e-06,"at":[2,0],"rank":{},)"
                          R"("got":1000001,"expected":1000000}})",
                          nearRank));
    const auto found = compare(distribute(runtime, far, placements), plain);
    EXPECT_FALSE(found.agrees);
    EXPECT_EQ(checkDetail(found.difference),
              fmt::format(R"({{"largest":0.5,"relative":"inf","at":[4,2],"rank":{},)"
                          R"("got":0.5,"expected":0}})",
                          farRank));
  }
}

TEST(Comparison, ReportsOtherShapesAndTypes) {
  const auto sharded = distribute(onRanks({2}), at::zeros({2, 3}), {Shard{0}});
  EXPECT_EQ(compare(sharded, at::zeros({3, 2})).difference.why,
            "got shape [2, 3], expected [3, 2]");
  EXPECT_EQ(compare(sharded, at::zeros({2, 3}, at::kDouble)).difference.why,
            "got float32, expected float64");
  EXPECT_FALSE(compare(sharded, at::zeros({3, 2})).agrees);
}

TEST(Comparison, OfPartialsIsOfTheirReduction) {
  const auto runtime = onRanks({2, 3});
  const auto whole = at::arange(1, 7).reshape({2, 3}).to(at::kDouble);
  for (const auto& placements :
       std::vector<Placements>{{Partial{}, Partial{}},
                               {Partial{ReduceOp::Avg}, Shard{1}},
                               {Partial{ReduceOp::Max}, Partial{ReduceOp::Max}},
                               {NormPartial{2}, NormPartial{2}},
                               {NormPartial{3}, Shard{0}},
                               {Shard{1}, Shard{1}}}) {
    EXPECT_TRUE(compare(distribute(runtime, whole, placements), whole).agrees)
        << toText(placements);
    EXPECT_FALSE(compare(distribute(runtime, whole, placements), whole + 1).agrees)
        << toText(placements);
  }
}

}  // namespace
}  // namespace shardlens
