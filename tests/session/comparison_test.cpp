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

at::Tensor boundOf(const at::Tensor& plain, double bound) {
  return at::full(plain.sizes(), bound, at::kDouble);
}

bool agree(at::ScalarType type, double got, double expected, double bound = 0.25) {
  const auto sharded = distribute(onRanks({2}), numbers({0, got}, type), {Shard{0}});
  const auto plain = numbers({0, expected}, type);
  return compare(sharded, plain, boundOf(plain, bound)).agrees;
}

bool agreeWithin(double bound, const at::Tensor& sharded, const at::Tensor& plain) {
  return compare(sharded, plain, boundOf(plain, bound)).agrees;
}

TEST(Comparison, OfFloatsIsWithinTheBound) {
  for (const auto type : {at::kDouble, at::kFloat, at::kHalf, at::kBFloat16}) {
    EXPECT_TRUE(agree(type, 1.25, 1));
    EXPECT_FALSE(agree(type, 1.5, 1));
    EXPECT_FALSE(agree(type, 1.25, 1, 0));
    EXPECT_FALSE(agree(type, 2.25, 2, 0.2499));
  }
}

TEST(Comparison, OfIntegersAndBoolsIsExact) {
  EXPECT_TRUE(agree(at::kInt, 7, 7, 0));
  EXPECT_FALSE(agree(at::kInt, 8, 7, 0));
  EXPECT_FALSE(agree(at::kBool, 1, 0, 0));
  EXPECT_TRUE(agree(at::kInt, 8, 7, kInfinity));
  // These two integers are equal as doubles.
  const auto large = at::tensor({(std::int64_t{1} << 53) + 1}, at::kLong);
  const auto found =
      compare(distribute(onRanks({2}), large, {Replicate{}}), large - 1, boundOf(large, 0));
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

// A difference of 1 is allowed at 1e6.
TEST(Comparison, NamesTheLargestDifferenceInUnitsOfItsBound) {
  const auto plain = at::zeros({5, 3});
  plain[2][0] = 1e6;
  auto near = plain.clone();
  near[2][0] = 1e6 + 1;
  auto far = near.clone();
  far[0][1] = 0.25;
  far[4][2] = 0.5;
  const auto bound = boundOf(plain, 0.125);
  bound[2][0] = 4;
  const auto runtime = onRanks({2, 2});
  struct Case {
    Placements placements;
    int nearRank, farRank;
  };
  for (const auto& [placements, nearRank, farRank] :
       {Case{{Replicate{}, Replicate{}}, 0, 0}, Case{{StridedShard{0, 2}, Replicate{}}, 2, 2},
        Case{{StridedShard{0, 2}, Shard{0}}, 2, 3}, Case{{Shard{1}, Shard{0}}, 0, 3}}) {
    EXPECT_EQ(compare(distribute(runtime, plain, placements), plain, bound).difference,
              CheckRecord());
    const auto within = compare(distribute(runtime, near, placements), plain, bound);
    EXPECT_TRUE(within.agrees);
    EXPECT_EQ(checkDetail(within.difference),
              fmt::format(R"({{"largest":1,"relative":1e-06,"bound":4,"at":[2,0],"rank":{},)"
                          R"("got":1000001,"expected":1000000}})",
                          nearRank));
    const auto found = compare(distribute(runtime, far, placements), plain, bound);
    EXPECT_FALSE(found.agrees);
    EXPECT_EQ(checkDetail(found.difference),
              fmt::format(R"({{"largest":0.5,"relative":"inf","bound":0.125,"at":[4,2],"rank":{},)"
                          R"("got":0.5,"expected":0}})",
                          farRank));
  }
}

TEST(Comparison, ReportsOtherShapesAndTypes) {
  const auto sharded = distribute(onRanks({2}), at::zeros({2, 3}), {Shard{0}});
  const auto whyNot = [&](const at::Tensor& plain) {
    return compare(sharded, plain, boundOf(plain, 0)).difference.why;
  };
  EXPECT_EQ(whyNot(at::zeros({3, 2})), "got shape [2, 3], expected [3, 2]");
  EXPECT_EQ(whyNot(at::zeros({2, 3}, at::kDouble)), "got float32, expected float64");
  EXPECT_FALSE(agreeWithin(0, sharded, at::zeros({3, 2})));
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
    EXPECT_TRUE(agreeWithin(1e-9, distribute(runtime, whole, placements), whole))
        << toText(placements);
    EXPECT_FALSE(agreeWithin(0.5, distribute(runtime, whole, placements), whole + 1))
        << toText(placements);
  }
}

}  // namespace
}  // namespace shardlens
