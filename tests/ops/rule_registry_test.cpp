#include "core/ops/rule_registry.h"

#include "core/base/check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace shardlens {
namespace {

TEST(RuleRegistry, NamesAreSortedUniqueAndFound) {
  const auto names = ruleNames();
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
  for (const auto name : names) {
    ASSERT_NE(findRule(name).rule, nullptr) << name;
    EXPECT_NE(findRule(name).rule->singleDimStrategies == nullptr,
              findRule(name).rule->fullMeshStrategies == nullptr)
        << name;
    EXPECT_THAT(std::string(name), testing::StartsWith("aten."));
    EXPECT_THAT(std::string(name), testing::Not(testing::EndsWith(".default")));
  }
}

TEST(RuleRegistry, HasTheOperatorsOfTheFirstScenarios) {
  const std::vector<std::string_view> called = {
      "aten.add.Tensor",     "aten.detach",     "aten.embedding", "aten.embedding_dense_backward",
      "aten.expand",         "aten.mul.Tensor", "aten.ones_like", "aten.sum",
      "aten.sum.dim_IntList"};
  for (const auto name : called) EXPECT_NE(findRule(name).rule, nullptr) << name;
}

TEST(RuleRegistry, HasNoRuleForOthers) {
  for (const auto name :
       {"", "aten", "aten.poisson", "aten.embedding.default", "aten.sums", "embedding"}) {
    EXPECT_EQ(findRule(name).rule, nullptr) << name;
  }
}

// Rules count the inputs, and an out argument would be one more.
TEST(RuleRegistry, OnlyPointwiseOperatorsHaveOutVariants) {
  for (const auto name :
       {"aten.sum.IntList_out", "aten.mean.out", "aten.any.all_out", "aten.sort.values",
        "aten.sort.values_stable", "aten.index_add.out", "aten._foreach_max.out"}) {
    EXPECT_EQ(findRule(name).rule, nullptr) << name;
  }
  const Rule* onElements = findRule("aten.sqrt", OpTag::Pointwise).rule;
  EXPECT_EQ(findRule("aten.mul.Scalar_out").rule, onElements);
  EXPECT_EQ(findRule("aten.sqrt.out", OpTag::Pointwise).rule, onElements);
}

TEST(RuleRegistry, HasPointwiseOperatorsWithoutATag) {
  for (const auto name :
       {"aten.rsub.Tensor", "aten.rsub.Scalar", "aten.gt_.Tensor", "aten.ge_.Scalar",
        "aten.lt_.Tensor", "aten.le_.Scalar", "aten.eq_.Tensor", "aten.ne_.Scalar"}) {
    ASSERT_NE(findRule(name).rule, nullptr) << name;
    EXPECT_TRUE(findRule(name).rule->elementwise) << name;
  }
}

TEST(RuleRegistry, OfFusedOperatorsOnlyOptimizersWorkOnLists) {
  EXPECT_TRUE(findRule("aten._fused_adamw_.tensor_lr").perElement);
  EXPECT_TRUE(findRule("aten._fused_adagrad_").perElement);
  EXPECT_EQ(findRule("aten._fused_sdp_choice").rule, nullptr);
  EXPECT_EQ(findRule("aten._fused_dropout").rule, nullptr);
}

TEST(RuleRegistry, OperatorsInPlaceFollowTheSameRule) {
  EXPECT_EQ(findRule("aten.add_.Tensor").rule, findRule("aten.add.Scalar").rule);
  EXPECT_EQ(findRule("aten.neg_").rule, findRule("aten.neg").rule);
}

TEST(RuleRegistry, ForeachOperatorsFollowTheRuleOfTheirElements) {
  const auto ruled = [](std::string_view name) { return findRule(name).rule; };
  EXPECT_TRUE(findRule("aten._foreach_add.List").perElement);
  EXPECT_FALSE(findRule("aten.add.Tensor").perElement);
  EXPECT_EQ(ruled("aten._foreach_add_.List"), ruled("aten.add.Tensor"));
  EXPECT_EQ(ruled("aten._foreach_div.ScalarList"), ruled("aten.div.Scalar"));
  EXPECT_EQ(ruled("aten._foreach_neg_"), ruled("aten.neg"));
  EXPECT_EQ(ruled("aten._foreach_sqrt"), findRule("aten.sqrt", OpTag::Pointwise).rule);
  EXPECT_EQ(ruled("aten._fused_adam_"), findRule("aten.sqrt", OpTag::Pointwise).rule);
}

TEST(OpSchema, ArgumentsAreFoundByName) {
  OpSchema call;
  call.name = "aten.sum.dim_IntList";
  call.args = {{"self", TensorIndex{0}},
               {"dim", std::vector<std::int64_t>{1, 2}},
               {"dtype", std::monostate{}}};
  EXPECT_EQ(call.intList("dim"), (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(call.intList("dtype"), std::vector<std::int64_t>{});
  EXPECT_THROW(call.arg("keepdim"), CheckFailed);
}

}  // namespace
}  // namespace shardlens
