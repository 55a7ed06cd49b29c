#include "core/checkpoints/tp_plan.h"

#include "tests/support/scratch_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace shardlens {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class TpPlanTest : public ::testing::Test {
 protected:
  void add(const std::string& name, const Extents& shape) {
    checkpoint_.files = {{.name = "model.safetensors"}};
    checkpoint_.tensors.push_back({.name = name,
                                   .type = elementTypeOfTorch("float32"),
                                   .shape = shape,
                                   .slices = {{.box = wholeOf(shape)}}});
  }
  // Returns "rank: boxes" per rank, with "every" for a replicated tensor.
  std::vector<std::string> held(const std::string& pattern, const std::string& style, int ranks) {
    std::vector<std::string> found;
    problems_.clear();
    for (const auto& each : applyTpPlan(checkpoint_, {{pattern, style}}, ranks, problems_)) {
      std::string text = each.isReplicated ? "every:" : std::to_string(each.rank) + ":";
      for (const Box& box : each.boxes) text += " " + boxText(box);
      found.push_back(text);
    }
    return found;
  }
  Result<std::vector<TpRule>> rules(const std::string& text) const {
    std::ofstream(folder_ / "plan.json") << text;
    return readTpPlan(folder_ / "plan.json");
  }

  ScratchFolder folder_;
  Checkpoint checkpoint_;
  std::vector<CheckpointProblem> problems_;
};

TEST_F(TpPlanTest, StylesDivideTheDimensionsOfALinearModule) {
  add("model.layers.11.mlp.up_proj.weight", {8, 6});
  const std::string pattern = "layers.*.mlp.up_proj";
  EXPECT_THAT(held(pattern, "colwise", 2), ElementsAre("0: [0:4, 0:6]", "1: [4:8, 0:6]"));
  EXPECT_THAT(held("model." + pattern, "rowwise", 2),
              ElementsAre("0: [0:8, 0:3]", "1: [0:8, 3:6]"));
  EXPECT_THAT(held(pattern + ".weight", "packed_colwise", 2),
              ElementsAre("0: [0:2, 0:6] [4:6, 0:6]", "1: [2:4, 0:6] [6:8, 0:6]"));
  EXPECT_THAT(held(pattern, "sequence_parallel", 2), ElementsAre("every: [0:8, 0:6]"));
  EXPECT_THAT(problems_, testing::IsEmpty());
}

TEST_F(TpPlanTest, ABiasIsDividedByColumnsOnly) {
  add("a.bias", {8});
  EXPECT_THAT(held("a", "colwise", 2), ElementsAre("0: [0:4]", "1: [4:8]"));
  EXPECT_THAT(held("a", "rowwise", 2), ElementsAre("every: [0:8]"));
}

TEST_F(TpPlanTest, AnUnevenDivisionIsAProblem) {
  add("a.weight", {3, 1});
  EXPECT_THAT(held("a", "colwise", 4),
              ElementsAre("0: [0:1, 0:1]", "1: [1:2, 0:1]", "2: [2:3, 0:1]", "3:"));
  ASSERT_EQ(problems_.size(), 1U);
  EXPECT_THAT(problems_[0].sentence,
              HasSubstr("a.weight: dimension 0 of [3, 1] is not a multiple of 4"));
}

TEST_F(TpPlanTest, ARuleThatMatchesNoTensorIsAWarning) {
  add("layers.0.norm.weight", {3});
  EXPECT_THAT(held("norm", "colwise", 3), ElementsAre("every: [0:3]"));
  ASSERT_EQ(problems_.size(), 1U);
  EXPECT_EQ(problems_[0].sentence, "the rule 'norm' (colwise) matches no tensor");
  EXPECT_TRUE(problems_[0].isWarning);
}

TEST_F(TpPlanTest, PlansAreReadFromJson) {
  const auto plain = rules(R"({"layers.*.q": "colwise"})");
  ASSERT_TRUE(plain) << plain.error().message;
  EXPECT_EQ(plain->at(0).style, "colwise");
  EXPECT_EQ(rules(R"({"base_model_tp_plan": {"a": "rowwise"}, "other": 3})")->at(0).pattern, "a");
  EXPECT_THAT(rules(R"({"a": "diagonal"})").error().message,
              HasSubstr("plan.json: 'a': got the style \"diagonal\", expected one of colwise"));
  EXPECT_THAT(rules(R"({"a": 3})").error().message, HasSubstr("got the style 3"));
  EXPECT_THAT(rules("[").error().message, HasSubstr("got no JSON object"));
}

}  // namespace
}  // namespace shardlens
