#include "tests/session/programs.h"

#include <nlohmann/json.hpp>

namespace shardlens {
namespace {

using Json = nlohmann::ordered_json;

// Runs a call with w = [[0, 1], [2, 3], [4, 5]] and x = [2, 0], and returns the answer.
Json answerToCall(const std::string& call, const std::string& cut = "S(0)",
                  const std::string& ids = "R", const std::string& more = "") {
  return answerTo(R"json({"id": "w", "call": "tensor", "fill": "arange", "shape": [3, 2],
                          "placements": [")json" +
                  cut + R"json("], "ranks": [1, 0]},
      {"id": "x", "call": "tensor", "data": [2, 0], "dtype": "int64", "placements": [")json" +
                  ids + R"json("]}, )json" + more + R"json(
      {"id": "y", "call": )json" +
                  call + R"json(}, {"id": "n", "call": "detach", "args": ["$w"]})json");
}

Json dataOf(const Json& answer, const std::string& name) {
  Json data = Json::array();
  for (const auto& local : answer["results"][name]["locals"]) data.push_back(local["data"]);
  return data;
}

Json collectivesOf(const Json& answer) {
  Json kinds = Json::array();
  for (const auto& each : answer["collectives"]) kinds.push_back(each["kind"]);
  return kinds;
}

TEST(LegacyCalls, LookUpInATableThatRanksHoldInAnyOrder) {
  for (const auto* cut : {"S(0)", "S(1)"}) {
    const auto answer =
        answerToCall(R"json("sharded_embedding", "args": ["$w", "$x"])json", cut, "S(0)");
    ASSERT_TRUE(answer["ok"]) << answer["error"];
    EXPECT_EQ(answer["results"]["y"]["placements"], Json({"S(0)"}));
    EXPECT_EQ(dataOf(answer, "y"), Json({{4., 5.}, {0., 1.}}));
  }
  const auto rows = answerToCall(R"json("sharded_embedding", "args": ["$w", "$x"])json");
  EXPECT_EQ(dataOf(rows, "w"), Json({{4., 5.}, {0., 1., 2., 3.}}));
  EXPECT_EQ(collectivesOf(rows), Json({"all_reduce"}));
}

TEST(LegacyCalls, TakeTheOptionsOfTheirFunctions) {
  const auto shrunk = answerToCall(
      R"json("sharded_embedding", "args": ["$w", "$x"],
             "kwargs": {"max_norm": 4.5, "norm_type": "inf", "padding_idx": null})json",
      "S(1)");
  ASSERT_TRUE(shrunk["ok"]) << shrunk["error"];
  EXPECT_EQ(collectivesOf(shrunk), Json({"all_reduce", "all_to_all"}));
  EXPECT_NEAR(shrunk["results"]["n"]["locals"][0]["data"][2].get<double>(), 4.5, 1e-5);
  const auto bags = answerToCall(
      R"json("sharded_embedding_bag", "args": ["$w", "$x"],
             "kwargs": {"offsets": "$o", "mode": "sum", "include_last_offset": true,
                        "per_sample_weights": "$f"})json",
      "S(0)", "R",
      R"json({"id": "o", "call": "tensor", "data": [0, 0, 2], "dtype": "int64",
              "placements": ["R"]},
             {"id": "f", "call": "tensor", "data": [10, 1], "placements": ["R"]},)json");
  ASSERT_TRUE(bags["ok"]) << bags["error"];
  EXPECT_EQ(dataOf(bags, "y")[0], Json({0., 0., 40., 51.}));
}

TEST(LegacyCalls, ReportInvalidArguments) {
  const auto refusal = [](const std::string& call) {
    const auto answer = answerToCall(call);
    return answer["ok"] ? "nothing was refused" : answer["error"]["message"].get<std::string>();
  };
  EXPECT_EQ(refusal(R"json("sharded_embedding", "args": ["$w"])json"),
            "args: got 1, expected [weight, ids]");
  EXPECT_EQ(refusal(R"json("sharded_embedding", "args": ["$w", 2])json"),
            "input need to be torch.Tensor");
  EXPECT_EQ(refusal(R"json("sharded_embedding", "args": [2, "$x"])json"),
            "weight needs to be ShardedTensor");
  EXPECT_EQ(refusal(R"json("sharded_embedding", "args": ["$w", "$x"],
                           "kwargs": {"mode": "sum"})json"),
            "kwargs: got 'mode', expected some of max_norm, norm_type, padding_idx, "
            "scale_grad_by_freq, sparse");
  EXPECT_EQ(refusal(R"json("sharded_embedding", "args": ["$w", "$x"],
                           "kwargs": {"sparse": 1})json"),
            "sparse: got 1, expected true or false");
  EXPECT_EQ(refusal(R"json("sharded_embedding", "args": ["$w", "$x"],
                           "kwargs": {"padding_idx": 0.5})json"),
            "padding_idx: got 0.5, expected a whole number");
  EXPECT_EQ(refusal(R"json("sharded_embedding", "args": ["$w", "$x"],
                           "kwargs": {"max_norm": "much"})json"),
            "max_norm: got \"much\", expected a number");
  EXPECT_EQ(refusal(R"json("sharded_embedding_bag", "args": ["$w", "$x"],
                           "kwargs": {"offsets": [0]})json"),
            "offsets need to be torch.Tensor");
}

}  // namespace
}  // namespace shardlens
