#include "core/edit/program_edit.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace shardlens {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string kProgram = R"x({
  "shardlens": 1,
  "mesh": {"shape": [4], "names": ["tp"]}, // one axis
  "steps": [
    {"id": "w", "call": "tensor", "fill": "arange", "shape": [10, 3], "placements": ["S(0)"]},
    {"id": "x", "call": "tensor", "data": [0, 9, 4], "dtype": "int64",
     "placements": [ "R" ]}, // the ids
    {"id": "y", "call": "aten.embedding", "args": ["$w", "$x"]},
    {"id": "z", "call": "redistribute", "args": ["$y"], "placements": ["R"]}
  ]
}
)x";

std::vector<ProgramField> fieldsOf(const std::string& text, int step) {
  const auto program = readProgram(text);
  if (!program) return {};
  return step < 0 ? wholeFields(*program) : stepFields(*program, step);
}

ProgramField field(int step, const std::string& label, const std::string& text = kProgram) {
  const auto all = fieldsOf(text, step);
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.label == label; });
  EXPECT_NE(found, all.end()) << label;
  return found == all.end() ? ProgramField() : *found;
}

// Returns the text with the first `from` replaced by `to`.
std::string changed(const std::string& from, const std::string& to, std::string text = kProgram) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::string set(int step, const std::string& label, const std::string& typed,
                const std::string& text = kProgram) {
  const auto result = withField(text, field(step, label, text), typed);
  return result ? *result : "refused: " + result.error().message;
}

TEST(ProgramFields, AreTheArgumentsOfAStep) {
  const auto labels = [](int step) {
    std::vector<std::string> all;
    for (const auto& each : fieldsOf(kProgram, step)) all.push_back(each.label + "=" + each.text);
    return all;
  };
  EXPECT_THAT(labels(-1),
              ElementsAre("mesh=4:tp", "masking=", "emulate=", "planner=", "redistributions="));
  EXPECT_THAT(labels(0), ElementsAre("placement on tp=S(0)", "fill=arange", "shape=[10, 3]",
                                     "dtype=", "requires_grad=", "source="));
  EXPECT_THAT(labels(1), ElementsAre("placement on tp=R", "fill=", "data=[0, 9, 4]",
                                     "shape=", "dtype=int64", "requires_grad=", "source="));
  EXPECT_THAT(labels(2), ElementsAre(R"(args=["$w", "$x"])"));
  EXPECT_THAT(labels(3), ElementsAre("placement on tp=R",
                                     "forward_dtype=", "backward_dtype=", R"(args=["$y"])"));
  EXPECT_THAT(field(0, "placement on tp").choices, ElementsAre("R", "S(0)", "S(1)", "P(sum)"));
}

TEST(ProgramEdit, ChangesAPlacementAndNothingElse) {
  EXPECT_EQ(set(1, "placement on tp", "S(0)"), changed("[ \"R\" ]", "[ \"S(0)\" ]"));
  EXPECT_EQ(set(0, "placement on tp", "SS(0, 2)"), changed("\"S(0)\"", "\"SS(0, 2)\""));
  EXPECT_EQ(set(0, "placement on tp", "MaskP(sum, [10, 3], 0)"),
            changed("\"S(0)\"", "\"MaskP(sum, [10, 3], 0)\""));
}

TEST(ProgramEdit, ReportsAnInvalidPlacement) {
  EXPECT_EQ(set(0, "placement on tp", "S(2)"),
            "refused: got S(2), expected a dimension of 2, from 0");
  EXPECT_EQ(set(0, "placement on tp", "S(-2)"), changed("\"S(0)\"", "\"S(-2)\""));
  EXPECT_EQ(set(0, "placement on tp", "S(1)"), changed("\"S(0)\"", "\"S(1)\""));
  EXPECT_EQ(set(3, "placement on tp", "S(7)"), changed("[\"R\"]", "[\"S(7)\"]"));
  EXPECT_THAT(set(0, "placement on tp", "Q"), HasSubstr("refused: "));
  EXPECT_THAT(set(0, "placement on tp", ""), HasSubstr("refused: "));
}

TEST(ProgramEdit, AMeshTakesThePlacementsAlongByTheNamesOfItsAxes) {
  const std::string two = set(-1, "mesh", "2x4:dp,tp");
  EXPECT_EQ(
      two,
      changed(R"("shape": [4], "names": ["tp"])", R"("shape": [2, 4], "names": ["dp", "tp"])",
              changed(R"x(["S(0)"])x", R"x(["R", "S(0)"])x",
                      changed(R"([ "R" ])", R"(["R", "R"])",
                              changed(R"("placements": ["R"])", R"("placements": ["R", "R"])")))));
  EXPECT_EQ(set(-1, "mesh", "4:tp", two), changed(R"([ "R" ])", R"(["R"])"));
  EXPECT_EQ(field(0, "placement on dp", two).text, "R");
  EXPECT_EQ(field(0, "placement on tp", two).text, "S(0)");
  // Without known axis names, placements are matched by position.
  const std::string unnamed = set(-1, "mesh", "2x2");
  EXPECT_EQ(field(0, "placement on d0", unnamed).text, "S(0)");
  EXPECT_EQ(field(0, "placement on d1", unnamed).text, "R");
  EXPECT_EQ(set(-1, "mesh", "8:tp"), changed("[4]", "[8]"));
}

TEST(ProgramEdit, RefusesAMeshThatIsNone) {
  EXPECT_THAT(set(-1, "mesh", "0:tp"), HasSubstr("refused: "));
  EXPECT_THAT(set(-1, "mesh", ""), HasSubstr("refused: "));
  EXPECT_THAT(set(-1, "mesh", "2x2:tp"), HasSubstr("refused: "));
}

TEST(ProgramEdit, OptionsAreInsertedAfterTheMeshAndRemoved) {
  const std::string stepwise = set(-1, "masking", "stepwise");
  EXPECT_EQ(stepwise, changed("// one axis\n", "// one axis\n  \"masking\": \"stepwise\",\n"));
  EXPECT_EQ(set(-1, "masking", "", stepwise), kProgram);
  const std::string emulated = set(-1, "emulate", "torch-2.15");
  EXPECT_EQ(set(-1, "emulate", "none", emulated), kProgram);
  EXPECT_EQ(set(-1, "masking", "fused", emulated),
            "refused: got masking fused, expected stepwise, which emulation requires");
  EXPECT_EQ(set(-1, "emulate", "torch-2.15", set(-1, "masking", "fused")),
            "refused: got masking fused, expected stepwise, which emulation requires");
  EXPECT_EQ(set(-1, "planner", "fast"),
            "refused: got fast, expected min-cost, greedy or decompose");
}

TEST(ProgramEdit, AnInputIsOfDataOrMade) {
  const std::string made = set(1, "fill", "randint");
  EXPECT_EQ(made,
            changed(R"("data": [0, 9, 4], )", R"("fill": "randint", "shape": [3], "high": 10, )"));
  EXPECT_EQ(set(1, "fill", "data", made), changed("[0, 9, 4]", "[0, 0, 0]"));
  EXPECT_EQ(set(1, "data", "[[1, 2]]"), changed("[0, 9, 4]", "[[1, 2]]"));
  EXPECT_EQ(set(1, "data", "[1, x"),
            "refused: got [1, x, expected numbers, or nested lists of them, as [[1, 2], [3, 4]]");
  EXPECT_EQ(set(0, "shape", "[12, 3]"), changed("[10, 3]", "[12, 3]"));
  EXPECT_EQ(set(0, "shape", "[12, -1]"),
            "refused: got [12, -1], expected a list of sizes, as [10, 3]");
  EXPECT_EQ(set(0, "shape", ""), "refused: got nothing, expected a list of sizes, as [10, 3]");
  EXPECT_EQ(set(1, "dtype", "int32"), changed("int64", "int32"));
  EXPECT_EQ(set(1, "dtype", ""), changed(R"( "dtype": "int64",)", ""));
  EXPECT_THAT(set(1, "dtype", "int99"), HasSubstr("refused: got int99, expected float16, "));
}

TEST(ProgramEdit, DataIsWrittenOutUpToALimit) {
  const auto sized = [](const std::string& shape) {
    return set(0, "fill", "data", set(0, "shape", shape));
  };
  EXPECT_THAT(sized("[64, 64]"), HasSubstr("\"data\": [[0, 0"));
  EXPECT_EQ(sized("[64, 65]"),
            "refused: got data for [64, 65], expected at most 4096 elements to be written out");
  EXPECT_THAT(sized("[1000000000000, 0]"), HasSubstr("refused"));
}

TEST(ProgramEdit, RefusesAFileThatIsNotAScenario) {
  for (const char* text : {"", "{", "[]", "{}", R"({"mesh": {}, "steps": 3})",
                           R"({"mesh": [], "steps": []})", R"({"mesh": {}, "steps": [1]})"}) {
    EXPECT_FALSE(readProgram(text)) << text;
  }
  ProgramField beyond = field(2, "args");
  beyond.object = "/steps/9";
  EXPECT_FALSE(withField(kProgram, beyond, "[]"));
}

}  // namespace
}  // namespace shardlens
