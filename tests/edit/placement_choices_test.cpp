#include "core/edit/placement_choices.h"

#include <gmock/gmock.h>

namespace shardlens {
namespace {

using ::testing::HasSubstr;

const std::string kChoicesProgram = R"x({
  "mesh": {"shape": [2, 2], "names": ["dp", "tp"]}, // as it was written
  "steps": [
    {"id": "w", "call": "tensor", "fill": "arange", "shape": [8, 4], "placements": ["R", "S(0)"],
     "shard_order": {"0": [1]}},
    {"id": "v", "call": "aten.mul.Tensor", "args": ["$w", "$w"]}, // squares
    {"call": "aten.neg", "args": ["$v"]},
    {"id": "m", "call": "aten.cat", "args": [["$v", "$step2"]], "kwargs": {"dim": 0}},
    {"id": "g", "call": "grad", "args": ["$v"]},
    {"id": "v", "call": "aten.abs", "args": ["$v"]},
    {"id": "z", "call": "aten.add.Tensor", "args": ["$v", "$m.1"]}
  ]
}
)x";

std::string changedText(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::string placed(const std::string& text, const char* tensor, const Placements& placements) {
  const auto program = withPlacements(text, tensor, placements);
  return program ? program->text : "refused: " + program.error().message;
}

TEST(PlacementChoices, AreThoseOfEachMeshDimension) {
  const PlacementChoices choices(2, 1);
  ASSERT_EQ(choices.size(), 9U);
  EXPECT_EQ(toText(choices[0]), "(R, R)");
  EXPECT_EQ(toText(choices[1]), "(R, S(0))");
  EXPECT_EQ(toText(choices[5]), "(S(0), P(sum))");
  EXPECT_EQ(toText(choices[8]), "(P(sum), P(sum))");
  EXPECT_EQ(PlacementChoices(1, 0).size(), 2U);
}

TEST(PlacementChoices, ThatAreTooManyAreNotCounted) {
  EXPECT_EQ(PlacementChoices(5, 8).size(), PlacementChoices::kMost);
  EXPECT_EQ(PlacementChoices(64, 8).size(), PlacementChoices::kMost + 1);
}

TEST(WithPlacements, AreThoseThatTheStepLists) {
  const auto program = withPlacements(kChoicesProgram, "w", {Shard{1}, Replicate{}});
  ASSERT_TRUE(program);
  EXPECT_EQ(program->step, 0);
  EXPECT_EQ(program->tensor, "w");
  EXPECT_EQ(program->text,
            changedText(kChoicesProgram, "[\"R\", \"S(0)\"],\n     \"shard_order\": {\"0\": [1]}",
                        "[\"S(1)\", \"R\"]"));
}

TEST(WithPlacements, OfAResultThatIsRedistributedAndReadSo) {
  const std::string start = changedText(kChoicesProgram, "\"id\": \"v\", \"call\": \"aten.abs\"",
                                        "\"id\": \"u\", \"call\": \"aten.abs\"");
  const auto program = withPlacements(start, "v", {Replicate{}, Replicate{}});
  ASSERT_TRUE(program);
  EXPECT_EQ(program->step, 2);
  EXPECT_EQ(program->tensor, "v_placed");
  std::string expected = changedText(
      start, "// squares\n",
      "// squares\n    {\"id\": \"v_placed\", \"call\": \"redistribute\", \"args\": [\"$v\"], "
      "\"placements\": [\"R\", \"R\"]},\n");
  expected = changedText(expected, R"({"call": "aten.neg", "args": ["$v"]})",
                         R"({"call": "aten.neg", "args": ["$v_placed"], "id": "step2"})");
  expected = changedText(expected, R"([["$v", "$step2"]])", R"([["$v_placed", "$step2"]])");
  expected = changedText(expected, R"("aten.abs", "args": ["$v"])",
                         R"("aten.abs", "args": ["$v_placed"])");
  expected = changedText(expected, R"("args": ["$v", "$m.1"])", R"("args": ["$v_placed", "$m.1"])");
  EXPECT_EQ(program->text, expected);
}

TEST(WithPlacements, OfTheLastStepOfAName) {
  const auto program = withPlacements(kChoicesProgram, "v", {Replicate{}, Replicate{}});
  ASSERT_TRUE(program);
  EXPECT_EQ(program->step, 6);
  EXPECT_THAT(program->text, HasSubstr(R"("aten.neg", "args": ["$v"]})"));
  EXPECT_THAT(program->text, HasSubstr(R"("args": ["$v_placed", "$m.1"])"));
}

TEST(WithPlacements, IsReadUntilTheNameIsReassigned) {
  const std::string twice = changedText(kChoicesProgram, R"({"id": "z", "call": "aten.add.Tensor")",
                                        R"({"id": "m", "call": "aten.add.Tensor")");
  EXPECT_THAT(placed(twice, "m.0", {Replicate{}, Replicate{}}),
              HasSubstr(R"("id": "m_0_placed", "call": "redistribute", "args": ["$m.0"])"));
}

TEST(WithPlacements, BehindTheLastStep) {
  const std::string end = placed(kChoicesProgram, "z", {Replicate{}, Shard{0}});
  EXPECT_THAT(end, HasSubstr("[\"$v\", \"$m.1\"]},\n    {\"id\": \"z_placed\", "));
  EXPECT_THAT(end, HasSubstr("\"placements\": [\"R\", \"S(0)\"]}\n  ]"));
}

TEST(WithPlacements, RefusesATensorThatNoStepProduces) {
  EXPECT_EQ(placed(kChoicesProgram, "q", {}),
            "refused: got q, expected a tensor that a step of the program makes");
  EXPECT_EQ(placed(kChoicesProgram, "m.x", {}),
            "refused: got m.x, expected a tensor that a step of the program makes");
  EXPECT_THAT(placed("{}", "w", {}), HasSubstr("refused: got a text that is not a scenario"));
}

}  // namespace
}  // namespace shardlens
