#include "tests/ops/written_call.h"

#include <gtest/gtest.h>

namespace shardlens {
namespace {

std::string equal(const std::string& a, const std::string& b) {
  auto schema = schemaOf({"aten.equal", {{{6, 4}, a}, {{6, 4}, b}}});
  schema.outputs.clear();
  return toText(propagate(schema, findRule(schema.name), {})->chosen);
}

TEST(EqualRule, PartsAreComparedAtTheirOffsets) {
  EXPECT_EQ(equal("S(0)", "S(0)"), "sharded: (S(0)), (S(0)) -> ");
  EXPECT_EQ(equal("R", "S(1)"), "sharded: (S(1)), (S(1)) -> ");
}

TEST(ItemRule, EveryRankHasTheNumber) {
  EXPECT_EQ(chosen({"aten._local_scalar_dense", {{{1}, "P(sum)"}}}), "replicate: (R) -> (R)");
}

std::string unscale(const std::string& first, const std::string& second) {
  using List = std::vector<TensorIndex>;
  auto schema = schemaOf(
      {"aten._amp_foreach_non_finite_check_and_unscale_",
       {{{6, 4}, first}, {{5}, second}, {{}, "R"}, {{}, "R"}},
       {},
       {{"self", List{{0}, {1}}}, {"found_inf", TensorIndex{2}}, {"inv_scale", TensorIndex{3}}}});
  schema.written = {0, 1, 2};
  schema.outputs = {schema.input(0), schema.input(1), schema.input(2)};
  const auto result = propagate(schema, findRule(schema.name), {});
  return result ? toText(result->chosen.outputs[0]) + " " + toText(result->chosen.outputs[1]) +
                      " " + toText(result->chosen.outputs[2])
                : result.error().message;
}

TEST(UnscaleRule, EachGradientStaysWhereItIs) {
  EXPECT_EQ(unscale("S(0)", "S(0)"), "(S(0)) (S(0)) (R)");
  EXPECT_EQ(unscale("S(1)", "R"), "(S(1)) (R) (R)");
}

TEST(UnscaleRule, PartialsOfSumsAreUnscaledOneByOne) {
  EXPECT_EQ(unscale("P(sum)", "P(avg)"), "(P(sum)) (P(avg)) (R)");
}

TEST(UnscaleRule, PartialsOfAMaximumAreRefused) {
  EXPECT_NE(unscale("P(max)", "R").find("in-place operations that require placement changes"),
            std::string::npos);
}

}  // namespace
}  // namespace shardlens
