#include "core/trace/journal/journal.h"
#include "tests/session/programs.h"

#include <nlohmann/json.hpp>

namespace shardlens {
namespace {

using Json = nlohmann::ordered_json;

// Runs these steps on a 2x2 mesh and returns the answer.
Json answerOn2x2(const std::string& steps, const std::string& options = "") {
  Session session(
      scenario(R"json({"shardlens": 1, "mesh": {"shape": [2, 2], "names": ["dp", "tp"]},)json" +
               options + "\"steps\": [" + steps + "]}"),
      {});
  while (session.step()) {
  }
  return session.answer();
}

Json valueOf(const Json& answer, const std::string& name) {
  Json data = Json::array();
  for (const auto& local : answer["results"][name]["locals"]) data.push_back(local["data"]);
  return data;
}

std::string stepRefusal(const std::string& step) {
  const auto answer = answerOn2x2(
      R"json({"id": "a", "call": "tensor", "fill": "arange", "shape": [8, 2],
              "placements": ["S(0)", "S(1)"]},)json" +
      step);
  return answer["ok"] ? "" : answer["error"]["message"];
}

TEST(ShardOrder, ShardsInTheOrderOfTheStep) {
  const auto answer = answerOn2x2(R"json(
    {"id": "a", "call": "tensor", "fill": "arange", "shape": [8], "placements": ["S(0)", "S(0)"],
     "shard_order": {"0": [1, 0]}},
    {"id": "b", "call": "redistribute", "args": ["$a"], "placements": ["S(0)", "S(0)"]},
    {"id": "c", "call": "redistribute", "args": ["$b"], "placements": ["S(-1)", "S(0)"],
     "shard_order": {"-1": [1, 0]}},
    {"id": "d", "call": "from_locals", "placements": ["S(0)", "S(0)"],
     "shard_order": {"0": [1, 0]}, "locals": [{"data": [0]}, {"data": [2]}, {"data": [1]},
                                              {"data": [3]}]},
    {"id": "e", "call": "redistribute", "args": ["$d"], "placements": ["R", "R"]})json");
  ASSERT_TRUE(answer["ok"]) << answer["error"];
  EXPECT_EQ(answer["results"]["a"]["placements"], Json({"SS(0, 2)", "S(0)"}));
  EXPECT_EQ(valueOf(answer, "a"), Json({{0., 1.}, {4., 5.}, {2., 3.}, {6., 7.}}));
  EXPECT_EQ(valueOf(answer, "b"), Json({{0., 1.}, {2., 3.}, {4., 5.}, {6., 7.}}));
  EXPECT_EQ(valueOf(answer, "c"), valueOf(answer, "a"));
  EXPECT_EQ(answer["results"]["e"]["locals"][0]["data"], Json({0., 1., 2., 3.}));
}

TEST(ShardOrder, IsRefusedIfItIsEmpty) {
  const auto given = [](const std::string& order) {
    return stepRefusal(R"json({"id": "b", "call": "redistribute", "args": ["$a"],
                           "placements": ["S(0)", "S(0)"], "shard_order": )json" +
                       order + "}");
  };
  EXPECT_EQ(given(R"({"0": [1, 0]})"), "");
  const std::string expected =
      R"(, expected {"0": [1, 0]}: a tensor dimension, and the mesh dimensions in the order in )"
      "which they cut it";
  EXPECT_EQ(given("[1, 0]"), "shard_order: got [1,0]" + expected);
  EXPECT_EQ(given(R"({"a": [1, 0]})"), R"(shard_order: got {"a":[1,0]})" + expected);
  EXPECT_EQ(given(R"({"0": 1})"), R"(shard_order: got {"0":1})" + expected);
  EXPECT_EQ(given(R"({"2": [1, 0]})"),
            "shard_order: got tensor dimension 2 of a tensor of 2 dimensions");
  EXPECT_EQ(given(R"({"0": [0, 1], "-2": [0, 1]})"),
            R"(shard_order: got {"-2":[0,1],"0":[0,1]}, expected each tensor dimension once)");
  EXPECT_EQ(given(R"({"0": [0]})"),
            "shard_order of tensor dimension 0: got [0], expected the mesh dimensions that shard "
            "it, [0, 1] in any order");
}

TEST(Mesh, OfAStepLeavesTheOtherRanksEmpty) {
  const auto answer = answerOn2x2(R"json(
    {"id": "a", "call": "tensor", "fill": "arange", "shape": [3], "placements": ["S(0)"],
     "mesh": {"shape": [2], "names": ["tp"], "ranks": [3, 0]}, "requires_grad": true},
    {"id": "b", "call": "from_locals", "placements": ["S(0)"],
     "mesh": {"shape": [2], "names": ["tp"], "ranks": [3, 0]},
     "locals": [{"data": [10, 20]}, {"data": [30]}], "shape": [3]},
    {"id": "c", "call": "aten.mul.Tensor", "args": ["$a", "$b"]},
    {"id": "d", "call": "redistribute", "args": ["$c"], "placements": ["R"],
     "mesh": {"shape": [2], "names": ["tp"], "ranks": [3, 0]}},
    {"id": "l", "call": "aten.sum", "args": ["$d"]},
    {"call": "backward", "args": ["$l"]},
    {"id": "g", "call": "grad", "args": ["$a"]})json");
  ASSERT_TRUE(answer["ok"]) << answer["error"];
  EXPECT_EQ(answer["results"]["a"]["locals"], Json::parse(R"json([
    {"rank": 0, "shape": [1], "data": [2.0]}, {"rank": 1, "shape": [0], "data": []},
    {"rank": 2, "shape": [0], "data": []}, {"rank": 3, "shape": [2], "data": [0.0, 1.0]}])json"));
  EXPECT_EQ(valueOf(answer, "b"), Json::parse("[[30.0], [], [], [10.0, 20.0]]"));
  EXPECT_EQ(valueOf(answer, "d"), Json::parse("[[0.0, 20.0, 60.0], [], [], [0.0, 20.0, 60.0]]"));
  EXPECT_EQ(valueOf(answer, "g"), Json::parse("[[30.0], [], [], [10.0, 20.0]]"));
}

TEST(Mesh, OfAStepIsRefused) {
  const std::string other = R"json({"id": "b", "call": "tensor", "data": [1, 2],
    "placements": ["R"], "mesh": )json";
  const auto ofTensor = [&](const std::string& mesh) { return stepRefusal(other + mesh + "}"); };
  EXPECT_EQ(ofTensor("4"), R"(got "mesh": 4, expected {"shape": [2, 2], "names": ["dp", "tp"]})");
  EXPECT_EQ(ofTensor(R"({"shape": [2], "ranks": ["a"]})"),
            R"(got "mesh": {"ranks":["a"],"shape":[2]}, expected "ranks" to be a list of ranks)");
  EXPECT_EQ(ofTensor(R"({"shape": [2], "ranks": [0]})"),
            "mesh ranks: got 1, expected one for each of 2 places");
  EXPECT_EQ(ofTensor(R"({"shape": [2], "ranks": [0, 7]})"),
            "mesh ranks: got 7, expected some of the 4 ranks of the scenario's mesh");
  EXPECT_EQ(stepRefusal(R"json({"id": "b", "call": "redistribute", "args": ["$a"],
      "placements": ["R"], "mesh": {"shape": [2], "ranks": [0, 1]}})json"),
            "Cross device mesh comm not supported yet!");
  EXPECT_EQ(stepRefusal(R"json({"id": "b", "call": "redistribute", "args": ["$a"],
      "placements": ["R", "R"], "mesh": {"shape": [2, 2], "names": ["dp", "tp"]}})json"),
            "");
}

TEST(Mesh, OfTwoKindsDoNotMeetInAnOperator) {
  const auto message = stepRefusal(R"json({"id": "b", "call": "tensor", "fill": "arange",
      "shape": [8, 2], "placements": ["R"], "mesh": {"shape": [2], "ranks": [0, 1]}},
    {"id": "c", "call": "aten.add.Tensor", "args": ["$a", "$b"]})json");
  EXPECT_NE(message.find("mesh"), std::string::npos) << message;
}

TEST(Source, SendsTheOthersTheirParts) {
  const auto answer = answerOn2x2(R"json(
    {"id": "a", "call": "tensor", "fill": "arange", "shape": [5], "placements": ["S(0)", "R"],
     "source": 2},
    {"id": "b", "call": "tensor", "fill": "arange", "shape": [2], "placements": ["R", "R"],
     "source": 0})json");
  ASSERT_TRUE(answer["ok"]) << answer["error"];
  EXPECT_EQ(valueOf(answer, "a"), Json({{0., 1., 2.}, {0., 1., 2.}, {3., 4.}, {3., 4.}}));
  EXPECT_EQ(valueOf(answer, "b"), Json({{0., 1.}, {0., 1.}, {0., 1.}, {0., 1.}}));
  EXPECT_EQ(answer["collectives"][0]["kind"], "scatter");
  EXPECT_EQ(answer["collectives"][1]["kind"], "broadcast");
  const std::string from =
      R"({"id": "b", "call": "tensor", "data": [1], "placements": ["R", "R"], "source": )";
  EXPECT_EQ(stepRefusal(from + "4}"), "source: got 4, expected a rank of the mesh");
  EXPECT_EQ(stepRefusal(from + "true}"), "source: got true, expected a rank");
}

TEST(Redistribute, MovesInTheTypesOfTheStep) {
  const auto answer = answerOn2x2(R"json(
    {"id": "a", "call": "tensor", "data": [1, 2.00001], "placements": ["S(0)", "R"],
     "requires_grad": true},
    {"id": "b", "call": "redistribute", "args": ["$a"], "placements": ["R", "R"],
     "forward_dtype": "bfloat16", "backward_dtype": "float64"},
    {"id": "l", "call": "aten.sum", "args": ["$b"]},
    {"call": "backward", "args": ["$l"]},
    {"id": "g", "call": "grad", "args": ["$a"]})json");
  ASSERT_TRUE(answer["ok"]) << answer["error"];
  EXPECT_EQ(answer["results"]["b"]["dtype"], "bfloat16");
  EXPECT_EQ(valueOf(answer, "b")[3], Json({1., 2.}));
  EXPECT_EQ(answer["results"]["g"]["dtype"], "float32");
  EXPECT_EQ(stepRefusal(R"json({"id": "b", "call": "redistribute", "args": ["$a"],
      "placements": ["R", "R"], "forward_dtype": "float9"})json"),
            "forward_dtype: got \"float9\", expected one like float32 or int64");
}

TEST(Planner, IsTheScenarios) {
  const std::string steps = R"json(
    {"id": "a", "call": "tensor", "fill": "arange", "shape": [4, 4], "placements": ["S(0)", "R"]},
    {"id": "b", "call": "redistribute", "args": ["$a"], "placements": ["S(1)", "R"]})json";
  EXPECT_EQ(answerOn2x2(steps)["collectives"][0]["kind"], "all_to_all");
  EXPECT_EQ(answerOn2x2(steps, R"("planner": "greedy",)")["collectives"][0]["kind"], "all_to_all");
  EXPECT_EQ(answerOn2x2(steps, R"("planner": "decompose",)")["collectives"][0]["kind"],
            "all_gather");

  Journal journal;
  Session session(scenario(R"json({"shardlens": 1, "mesh": {"shape": [2]}, "planner": "decompose",
      "steps": [{"call": "tensor", "data": 1, "placements": ["R"]}]})json"),
                  {{&journal}});
  EXPECT_EQ(journal.meta("planner"), "decompose");
}

}  // namespace
}  // namespace shardlens
