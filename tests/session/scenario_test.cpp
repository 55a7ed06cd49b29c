#include "core/session/scenario/scenario.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>

namespace shardlens {
namespace {

const std::string kMesh = R"("mesh": {"shape": [4], "names": ["tp"]})";
const std::string kSteps = R"("steps": [{"call": "aten.sum"}])";

// Returns the error message for an invalid scenario with the path f.json.
std::string refusal(const std::string& text) {
  const auto scenario = parseScenario(text, "f.json");
  return scenario ? "not refused" : scenario.error().message;
}

// Returns the error message for a scenario that is complete except for `extra`.
std::string refusalOf(const std::string& extra) {
  return refusal("{\n\"shardlens\": 1,\n" + extra + ",\n" + kMesh + ", " + kSteps + "}");
}

class ScenarioFile : public testing::Test {
 protected:
  ScenarioFile()
      : folder_(std::filesystem::path(testing::TempDir()) /
                testing::UnitTest::GetInstance()->current_test_info()->name()) {
    std::filesystem::create_directories(folder_);
  }
  ~ScenarioFile() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }

 private:
  std::filesystem::path folder_;
};

TEST(Scenario, CommentEndsAtACarriageReturn) {
  EXPECT_EQ(refusal("{\n// a comment\r\"shardlens\": 2}").substr(0, 9), "f.json:2:");
}

TEST(Scenario, IsReadWithItsMeshMaskingAndSteps) {
  const std::string text = R"({
  // what it shows
  "shardlens": 1, "title": "two by two",
  "mesh": {"shape": [2, 2], "names": ["dp", "tp"]},
  "masking": "stepwise", "planner": "greedy", "notes": ["unknown keys are left alone"],
  "steps": [
    {"id": "w", "call": "tensor", "shape": [10, 3]},
    /* two
       lines */ {"call": "aten.sum",
     "args": ["$w"]}, {"call": "grad"}
  ]
})";
  const auto scenario = parseScenario(text, "a/b.json");
  ASSERT_TRUE(scenario) << scenario.error().message;
  EXPECT_EQ(scenario->path, "a/b.json");
  EXPECT_EQ(scenario->source, text);
  EXPECT_EQ(scenario->title, "two by two");
  EXPECT_EQ(scenario->mesh, *DeviceMesh::make({2, 2}, {"dp", "tp"}));
  EXPECT_EQ(scenario->masking, Masking::Stepwise);
  EXPECT_EQ(scenario->planner, PlannerKind::Greedy);
  ASSERT_EQ(scenario->steps.size(), 3);
  EXPECT_EQ(scenario->steps[0].id, "w");
  EXPECT_EQ(scenario->steps[0].line, 7);
  EXPECT_EQ(scenario->steps[0].json["shape"], nlohmann::json::parse("[10, 3]"));
  EXPECT_EQ(scenario->steps[1].id, "step1");
  EXPECT_EQ(scenario->steps[1].line, 9);
  EXPECT_EQ(scenario->steps[2].id, "step2");
  EXPECT_EQ(scenario->steps[2].line, 10);
}

TEST(Scenario, FusesMasksAndNamesAxesByDefault) {
  const auto scenario =
      parseScenario(R"({"shardlens": 1, "mesh": {"shape": [2, 3]}, )" + kSteps + "}", "f.json");
  ASSERT_TRUE(scenario) << scenario.error().message;
  EXPECT_EQ(scenario->title, "");
  EXPECT_EQ(scenario->masking, Masking::Fused);
  EXPECT_EQ(scenario->mesh.names(), (std::vector<std::string>{"d0", "d1"}));
}

TEST(Scenario, AnEmulationMasksStepwise) {
  const auto emulating = [](const std::string& keys) {
    return *parseScenario("{\"shardlens\": 1, " + kMesh + ", " + keys + ", " + kSteps + "}",
                          "f.json");
  };
  const auto today = emulating("\"emulate\": \"torch-2.15\"");
  EXPECT_EQ(today.emulation, Emulation::Torch215);
  EXPECT_EQ(today.masking, Masking::Stepwise);
  const auto before = emulating("\"masking\": \"stepwise\", \"emulate\": \"before-131264\"");
  EXPECT_EQ(before.emulation, Emulation::Before131264);
  EXPECT_EQ(before.masking, Masking::Stepwise);
  EXPECT_EQ(emulating("\"masking\": \"stepwise\"").emulation, Emulation::None);
}

TEST(Scenario, LinesAreCountedPastBracketsInStringsAndNestedSteps) {
  const auto scenario = parseScenario(
      "{\"note\": \"\\\"steps\\\": [\\\\\", \"more\": {\"steps\": [1,\n2]},\n\"shardlens\": 1,\n" +
          kMesh + ",\n\"st\\u0065ps\":\n[{\"call\": \"a\", \"args\": [[\n1, {}], \"],\"]}\n,\n" +
          "{\"call\": \"b\"}]}",
      "f.json", /*firstLine=*/10);
  ASSERT_TRUE(scenario) << scenario.error().message;
  ASSERT_EQ(scenario->steps.size(), 2);
  EXPECT_EQ(scenario->steps[0].line, 15);
  EXPECT_EQ(scenario->steps[1].line, 18);
}

TEST(ScenarioRefusal, OfTextThatIsNotJson) {
  EXPECT_EQ(refusal(""), "f.json:1: got an empty file, expected a scenario");
  EXPECT_EQ(refusal(std::string("{}\n\0\"", 5)), "f.json:2: got a zero byte, expected text");
  EXPECT_EQ(refusal("{\n  \"shardlens\": 1,\n  \"mesh\": }\n"),
            "f.json:3: got '}', expected '[', '{', or a literal");
  EXPECT_EQ(refusal("{\n  \"shardlens\": 1,\n  \"title\": tru\n}"),
            "f.json:3: got invalid literal in '\"title\": tru', expected JSON");
  EXPECT_EQ(refusal("{\n  \"shardlens\": 1\n\n\n"), "f.json:2: got end of input, expected '}'");
  EXPECT_EQ(refusal("{\"shardlens\": 1}\n}"), "f.json:2: got '}', expected end of input");
}

TEST(ScenarioRefusal, OfJsonThatIsNotAScenario) {
  EXPECT_EQ(refusal("[1, 2]"), "f.json:1: got [1,2], expected a scenario in braces");
  EXPECT_EQ(refusal("\n{}"), "f.json:2: got no \"shardlens\", expected \"shardlens\": 1");
  EXPECT_EQ(refusal("{\n\"shardlens\": 2}"),
            "f.json:2: got \"shardlens\": 2, expected 1: "
            "the file is of a newer version than this program");
  EXPECT_EQ(refusal("{\"shardlens\": \"1\"}"), "f.json:1: got \"shardlens\": \"1\", expected 1");
}

TEST(ScenarioRefusal, OfTooDeepNesting) {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + "1" + std::string(depth, ']');
  };
  EXPECT_EQ(refusal(nested(64)), "f.json:1: got a list, expected a scenario in braces");
  const auto* tooDeep = "f.json:1: got lists and objects more than 64 deep, expected a scenario";
  EXPECT_EQ(refusal(nested(65)), tooDeep);
  EXPECT_EQ(refusal(std::string(300000, '[')), tooDeep);
}

TEST(ScenarioRefusal, OfTheMesh) {
  const auto withMesh = [](const std::string& mesh) {
    return refusal("{\"shardlens\": 1,\n\"mesh\": " + mesh + ", " + kSteps + "}");
  };
  EXPECT_EQ(refusal("{\"shardlens\": 1, " + kSteps + "}"),
            "f.json:1: got no \"mesh\", expected "
            "\"mesh\": {\"shape\": [2, 2], \"names\": [\"dp\", \"tp\"]}");
  EXPECT_EQ(withMesh("4"),
            "f.json:2: got \"mesh\": 4, expected {\"shape\": [2, 2], \"names\": [\"dp\", \"tp\"]}");
  EXPECT_EQ(withMesh("{\"shape\": [2, 1.5]}"),
            "f.json:2: got \"mesh\": {\"shape\":[2,1.5]}, "
            "expected \"shape\" to be a list of whole numbers");
  EXPECT_EQ(withMesh("{\"shape\": [2], \"names\": [0]}"),
            "f.json:2: got \"mesh\": {\"names\":[0],\"shape\":[2]}, "
            "expected \"names\" to be a list of names");
  EXPECT_EQ(withMesh("{\"shape\": [2, 0]}"),
            "f.json:2: mesh shape: got size 0, expected at least 1");
  EXPECT_EQ(withMesh("{\"shape\": [2], \"ranks\": [0, 1]}"),
            "f.json:2: got \"mesh\": {\"ranks\":[0,1],\"shape\":[2]}, expected no \"ranks\": "
            "a scenario's are 0, 1, ..., only a step's mesh has others");
}

TEST(ScenarioRefusal, OfOptions) {
  EXPECT_EQ(refusalOf("\"title\": 7"), "f.json:3: got \"title\": 7, expected text");
  EXPECT_EQ(refusalOf("\"masking\": \"lazy\""),
            "f.json:3: got \"masking\": \"lazy\", expected \"fused\" or \"stepwise\"");
  EXPECT_EQ(refusalOf("\"emulate\": \"torch-2.14\""),
            "f.json:3: got \"emulate\": \"torch-2.14\", "
            "expected \"torch-2.15\" or \"before-131264\"");
  EXPECT_EQ(
      refusalOf("\"emulate\": \"torch-2.15\",\n\"masking\": \"fused\""),
      "f.json:4: got \"masking\": \"fused\", expected \"stepwise\", which emulation requires");
  EXPECT_EQ(refusalOf("\"planner\": \"best\""),
            "f.json:3: got \"planner\": \"best\", "
            "expected \"greedy\", \"min-cost\" or \"decompose\"");
  EXPECT_EQ(refusalOf("\"redistributions\": true"),
            "f.json:3: got \"redistributions\": true, expected \"implicit\" or \"explicit\"");
  EXPECT_EQ(refusalOf("\"planner\": 1"),
            "f.json:3: got \"planner\": 1, expected \"greedy\", \"min-cost\" or \"decompose\"");
}

TEST(ScenarioRefusal, OfSteps) {
  const auto withSteps = [](const std::string& steps) {
    return refusal("{\"shardlens\": 1, " + kMesh + ",\n\"steps\": " + steps + "}");
  };
  EXPECT_EQ(refusal("{\"shardlens\": 1, " + kMesh + "}"),
            "f.json:1: got no \"steps\", expected \"steps\": [{\"call\": ...}, ...]");
  EXPECT_EQ(withSteps("{}"), "f.json:2: got \"steps\": {}, expected a list of steps");
  EXPECT_EQ(withSteps("[]"), "f.json:2: got \"steps\": [], expected at least one step");
  EXPECT_EQ(withSteps("[{\"call\": \"a\"},\n7]"),
            "f.json:3: step1: got 7, expected {\"call\": ...}");
  EXPECT_EQ(withSteps("[{\"call\": \"a\", \"id\": 3}]"),
            "f.json:2: step0: got \"id\": 3, expected a name");
  EXPECT_EQ(withSteps("[{\"id\": \"x\"}]"),
            "f.json:2: x: got no \"call\", expected what it does, as \"aten.sum\"");
  EXPECT_EQ(withSteps("[{\"call\": [\"a\"]}]"),
            "f.json:2: step0: got \"call\": [\"a\"], expected what it does, as \"aten.sum\"");
}

TEST_F(ScenarioFile, IsOneScenarioOrOneALine) {
  const std::string one = "{\"shardlens\": 1, " + kMesh + ", " + kSteps + "}";
  const auto json = readScenarios(write("a.json", one + "\n"));
  ASSERT_TRUE(json) << json.error().message;
  EXPECT_EQ(json->size(), 1);

  const auto lines = readScenarios(write("a.jsonl", one + "\n\n \r\n" + one + "\r\n" + one));
  ASSERT_TRUE(lines) << lines.error().message;
  ASSERT_EQ(lines->size(), 3);
  EXPECT_EQ(lines->at(0).steps[0].line, 1);
  EXPECT_EQ(lines->at(1).steps[0].line, 4);
  EXPECT_EQ(lines->at(2).steps[0].line, 5);
  EXPECT_EQ(lines->at(2).path, path("a.jsonl"));
}

TEST_F(ScenarioFile, ThatCannotBeReadIsNamed) {
  const auto refused = [this](const std::string& name) {
    return readScenarios(path(name)).error().message.substr(path(name).size());
  };
  EXPECT_EQ(refused("none.json"), ": got no such file, expected a scenario (.json or .jsonl)");
  EXPECT_EQ(refused(""), ": got a folder, expected a scenario (.json or .jsonl)");
  write("a.shardlens", std::string("SQLite format 3\0", 16));
  EXPECT_EQ(refused("a.shardlens"),
            ": got a recording (for shardlens replay), expected a scenario (.json or .jsonl)");
  write("empty.jsonl", " \n\n");
  EXPECT_EQ(refused("empty.jsonl"), ":1: got an empty file, expected a scenario a line");
  write("second.jsonl", "{\"shardlens\": 1, " + kMesh + ", " + kSteps + "}\n{}\n");
  EXPECT_EQ(refused("second.jsonl"), ":2: got no \"shardlens\", expected \"shardlens\": 1");
}

TEST(Scenario, NumbersThatNoDoubleHoldsAreRefusedOnTheirLine) {
  const auto of = [](const std::string& value) {
    return refusal("{\"shardlens\": 1, \"title\": \"1e999\",\n" + kMesh +
                   ",\n\"steps\": [{\"call\": \"tensor\",\n\"value\": " + value + "}]}");
  };
  EXPECT_EQ(of("1e999"), "f.json:4: got '1e999', expected a number that a double holds");
  EXPECT_EQ(of("[1, -1e400]"), "f.json:4: got '-1e400', expected a number that a double holds");
  EXPECT_EQ(of(std::string(5000, '7')), "f.json:4: got '" + std::string(40, '7') +
                                            "...', expected a number that a double holds");
  EXPECT_EQ(of("1e308"), "not refused");
}

// Any bytes are read, or refused with a line number that exists in the file.
TEST(Scenario, AnyBytesAreReadOrRefused) {
  const std::string text = R"({
  // what it shows
  "shardlens": 1, "title": "t\u00e9\ud83d\ude00\n", "mesh": {"shape": [2, 2], "names": ["a", "b"]},
  "masking": "stepwise", "planner": "greedy", "redistributions": "explicit",
  "steps": [ /* two */ {"id": "w", "call": "tensor", "shape": [10, 3], "value": -1.5e3},
    {"call": "aten.sum", "args": [["$w", null, true], {"a": [[]]}]}]
})";
  const std::string strange = R"({}[]",:/*\ 0123456789eE+-.tfnu)" + std::string("\n\0\xff\xc3", 4);
  std::mt19937 random(1);
  const auto below = [&](std::size_t n) { return random() % std::max<std::size_t>(n, 1); };
  int refused = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string changed = text;
    for (std::size_t n = below(4); n < 4; ++n) {
      const std::size_t at = below(changed.size()), length = below(below(4) == 0 ? 80 : 3);
      switch (below(3)) {
        case 0:
          changed.erase(at, length);
          break;
        case 1:
          changed.insert(at, changed.substr(below(changed.size()), length));
          break;
        default:
          if (at < changed.size()) changed[at] = strange[below(strange.size())];
      }
    }
    const auto scenario = parseScenario(changed, "f.json");
    if (scenario) continue;
    ++refused;
    const auto& message = scenario.error().message;
    ASSERT_TRUE(message.starts_with("f.json:")) << message << '\n' << changed;
    const int line = std::stoi(message.substr(7));
    ASSERT_TRUE(line >= 1 && line <= 1 + std::count(changed.begin(), changed.end(), '\n'))
        << message << '\n'
        << changed;
  }
  EXPECT_GT(refused, 10000);
}

}  // namespace
}  // namespace shardlens
