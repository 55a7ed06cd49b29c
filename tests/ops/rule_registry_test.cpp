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
    ASSERT_NE(findRule(name), nullptr) << name;
    EXPECT_NE(findRule(name)->rows, nullptr) << name;
    EXPECT_THAT(std::string(name), testing::StartsWith("aten."));
    EXPECT_THAT(std::string(name), testing::Not(testing::EndsWith(".default")));
  }
}

TEST(RuleRegistry, KnowsWhatTheFirstScenariosCall) {
  const std::vector<std::string_view> called = {
      "aten.add.Tensor",     "aten.detach",     "aten.embedding", "aten.embedding_dense_backward",
      "aten.expand",         "aten.mul.Tensor", "aten.ones_like", "aten.sum",
      "aten.sum.dim_IntList"};
  EXPECT_THAT(ruleNames(), testing::IsSupersetOf(called));
}

TEST(RuleRegistry, HasNoRuleForOthers) {
  for (const auto name :
       {"", "aten.linalg_eig", "aten.add", "aten.embedding.default", "embedding"}) {
    EXPECT_EQ(findRule(name), nullptr) << name;
  }
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
