#include "core/session/session.h"

#include "core/base/check.h"
#include "core/trace/journal/journal.h"
#include "tests/session/programs.h"

#include <nlohmann/json.hpp>

namespace shardlens {
namespace {

using Json = nlohmann::ordered_json;

TEST(Session, AnswersInTheFormOfTheContract) {
  const auto answer = answerTo(R"json(
    {"id": "a", "call": "tensor", "data": [1, 2, 3], "placements": ["S(0)"]},
    {"call": "aten.neg", "args": ["$a"]},
    {"id": "b", "call": "redistribute", "args": ["$a"], "placements": ["R"]})json");
  EXPECT_EQ(answer, Json::parse(R"json({
    "shardlens": 1, "ok": true,
    "results": {
      "a": {"shape": [3], "dtype": "float32", "placements": ["S(0)"],
            "locals": [{"rank": 0, "shape": [2], "data": [1.0, 2.0]},
                       {"rank": 1, "shape": [1], "data": [3.0]}]},
      "step1": {"shape": [3], "dtype": "float32", "placements": ["S(0)"],
                "locals": [{"rank": 0, "shape": [2], "data": [-1.0, -2.0]},
                           {"rank": 1, "shape": [1], "data": [-3.0]}]},
      "b": {"shape": [3], "dtype": "float32", "placements": ["R"],
            "locals": [{"rank": 0, "shape": [3], "data": [1.0, 2.0, 3.0]},
                       {"rank": 1, "shape": [3], "data": [1.0, 2.0, 3.0]}]}},
    "collectives": [{"step": "b", "kind": "all_gather", "count": 1, "bytes": 12}],
    "error": null})json"));
}

TEST(Session, WritesNumbersThatAreNoneAsText) {
  const auto answer = answerTo(
      R"json({"id": "a", "call": "tensor", "data": ["nan", "inf", "-inf", 0.1], "placements": ["R"]})json");
  EXPECT_EQ(answer["results"]["a"]["locals"][0]["data"],
            Json::parse(R"json(["nan", "inf", "-inf", 0.1])json"));
}

// As in PyTorch, a number of another category than the tensor promotes the dtype. A number of the
// same category does not.
TEST(Session, TakesANumberWherePyTorchTakesOneForATensor) {
  const auto answer = answerTo(R"json(
    {"id": "a", "call": "tensor", "data": [1, 2, 3], "dtype": "int32", "placements": ["S(0)"]},
    {"id": "add", "call": "aten.add.Tensor", "args": ["$a", 1], "kwargs": {"alpha": 2}},
    {"id": "sub", "call": "aten.sub.Tensor", "args": ["$a", 0.5]},
    {"id": "mul", "call": "aten.mul.Tensor", "args": ["$a", true]},
    {"id": "div", "call": "aten.div.Tensor_mode", "args": ["$a", 2], "kwargs": {"rounding_mode": "floor"}},
    {"id": "eq", "call": "aten.eq.Tensor", "args": ["$a"], "kwargs": {"other": 3}},
    {"id": "inf", "call": "aten.add.Tensor", "args": ["$a", "inf"]},
    {"id": "p", "call": "from_locals", "placements": ["P(sum)"],
     "locals": [{"data": [1, 2], "dtype": "int32"}, {"data": [10, 20], "dtype": "int32"}]},
    {"id": "q", "call": "aten.add.Tensor", "args": ["$p", 0.5]},
    {"id": "r", "call": "redistribute", "args": ["$q"], "placements": ["R"]}
  )json");
  EXPECT_EQ(answer["error"], Json());
  const auto shown = [&](const char* id) {
    Json all = Json::array({answer["results"][id]["dtype"]});
    for (const auto& local : answer["results"][id]["locals"]) all.push_back(local["data"]);
    return all.dump();
  };
  EXPECT_EQ(shown("add"), R"(["int32",[3,4],[5]])");
  EXPECT_EQ(shown("sub"), R"(["float32",[0.5,1.5],[2.5]])");
  EXPECT_EQ(shown("mul"), R"(["int32",[1,2],[3]])");
  EXPECT_EQ(shown("div"), R"(["int32",[0,1],[1]])");
  EXPECT_EQ(shown("eq"), R"(["bool",[false,false],[true]])");
  EXPECT_EQ(shown("inf"), R"(["float32",["inf","inf"],["inf"]])");
  EXPECT_EQ(shown("r"), R"(["float32",[11.5,22.5],[11.5,22.5]])");
}

TEST(Session, TakesANumberForAsManyAsTheOperatorTakes) {
  const auto answer = answerTo(R"json(
    {"id": "a", "call": "tensor", "fill": "arange", "shape": [1, 1, 2, 2], "placements": ["R"]},
    {"id": "one", "call": "aten.im2col", "args": ["$a", 2, 1, 0, 1]},
    {"id": "two", "call": "aten.im2col", "args": ["$a", [2, 2], [1, 1], [0, 0], [1, 1]]}
  )json");
  EXPECT_EQ(answer["error"], Json());
  EXPECT_EQ(answer["results"]["one"], answer["results"]["two"]);
}

TEST(Session, TakesNoNumberWherePyTorchTakesNone) {
  const auto answer = answerTo(R"json(
    {"id": "a", "call": "tensor", "data": [1, 2], "placements": ["R"]},
    {"id": "b", "call": "aten.maximum", "args": ["$a", 1]})json");
  EXPECT_EQ(answer["error"]["message"], "aten.maximum: argument other: got 1, expected Tensor");
}

TEST(Session, TakesNumbersThatAreNoneAsText) {
  const auto answer = answerTo(R"json(
    {"id": "a", "call": "tensor", "data": [1], "placements": ["R"]},
    {"id": "b", "call": "aten.mul.Scalar", "args": ["$a", "-inf"]},
    {"id": "c", "call": "aten.mul.Scalar", "args": ["$a", "nan"]})json");
  EXPECT_EQ(answer["results"]["b"]["locals"][0]["data"], Json({"-inf"}));
  EXPECT_EQ(answer["results"]["c"]["locals"][0]["data"], Json({"nan"}));
}

TEST(Session, RunsTheContractsExample) {
  Session session(scenario(kRowWise), {});
  while (session.step()) {
  }
  const auto answer = session.answer();
  ASSERT_TRUE(answer["ok"]) << answer["error"];
  EXPECT_EQ(answer["results"]["y"]["placements"], Json({"S(0)", "MaskP(sum, [10, 3], 0)"}));
  EXPECT_EQ(answer["results"]["z"]["locals"][0]["data"],
            Json({0., 1., 2., 27., 28., 29., 12., 13., 14.}));
  EXPECT_EQ(answer["results"]["l"]["placements"], Json({"P(sum)", "R"}));
}

TEST(Session, FillsAreThoseOfPyTorch) {
  const auto answer = answerTo(
      R"json({"id": "a", "call": "tensor", "fill": "randn", "seed": 243, "shape": [2, 4],
          "placements": ["R"]},
         {"id": "b", "call": "tensor", "fill": "full", "value": 7, "dtype": "int64", "shape": [2],
          "placements": ["R"]})json");
  EXPECT_EQ(answer["results"]["a"]["locals"][1]["data"],
            Json({0.096978933, 1.2069836, 1.3383591, -0.6407339, 0.506953, -0.11192054, -1.1651937,
                  0.031638291}));
  EXPECT_EQ(answer["results"]["b"]["locals"][0]["data"], Json({7, 7}));
}

TEST(Session, AnInPlaceStepLeavesItsArgumentItsName) {
  Journal journal;
  Session session(scenario(R"json({"shardlens": 1, "mesh": {"shape": [2]}, "steps": [
      {"id": "x", "call": "tensor", "data": [1, 2], "placements": ["S(0)"]},
      {"id": "k", "call": "aten.mul_.Scalar", "args": ["$x", 3]},
      {"id": "y", "call": "aten.neg", "args": ["$x"]}]})json"),
                  {{&journal}});
  while (session.step()) {
  }
  EXPECT_EQ(session.answer()["results"]["y"]["locals"][1]["data"], Json({-6.0}));
  std::string operators;
  for (EventId id = 1; id <= journal.size(); ++id) {
    if (journal.at(id).kind != EventKind::Operator) continue;
    for (const TensorId input : journal.inputs(id)) operators += journal.tensor(input).name + ";";
  }
  EXPECT_EQ(operators, "x;x;");
}

TEST(Session, TheAnswerListsTheResultOfEachStep) {
  const auto answer = answerTo(R"json(
      {"id": "x", "call": "tensor", "data": [1, 2], "placements": ["R"]},
      {"id": "k", "call": "aten.mul_.Scalar", "args": ["$x", 3]},
      {"id": "k", "call": "aten.add_.Scalar", "args": ["$x", 1]},
      {"id": "v", "call": "aten.view", "args": ["$x", [2, 1]]},
      {"id": "l", "call": "aten.neg_", "args": ["$v"]})json");
  ASSERT_TRUE(answer["ok"]) << answer["error"];
  std::string left;
  for (const auto& [name, result] : answer["results"].items()) {
    left += name + result["locals"][1]["data"].dump() + " ";
  }
  EXPECT_EQ(left, "x[1.0,2.0] k[4.0,7.0] v[4.0,7.0] l[-4.0,-7.0] ");
}

TEST(Session, OnlyAnAnswerThatWasWantedIsGiven) {
  Session session(scenario(kRowWise), {.answer = Answer::Skip});
  while (session.step()) {
  }
  EXPECT_TRUE(session.ok());
  EXPECT_THROW(session.answer(), CheckFailed);
}

TEST(Session, IsTimedByTheClockItIsGiven) {
  Journal journal;
  Session session(scenario(kRowWise), {.sinks = {&journal}, .clock = [] { return 7; }});
  while (session.step()) {
  }
  for (EventId id = 1; id <= journal.size(); ++id) {
    EXPECT_EQ(journal.at(id).time, 7);
    EXPECT_EQ(journal.at(id).duration, 0);
  }
}

// With two equal logits a class has the probability 1/2, which is exact in every order of sums.
TEST(Session, GivesALossAndTheGradientOfItsLogits) {
  const std::string tensors = R"json(
      {"id": "x", "call": "tensor", "data": [[0, 0], [3, 3]], "dtype": "float32",
       "placements": ["S(1)"], "requires_grad": true},
      {"id": "t", "call": "tensor", "data": [0, 1], "dtype": "int64", "placements": ["R"]},)json";
  const auto answer = answerTo(tensors + R"json(
      {"id": "l", "call": "cross_entropy", "args": ["$x", "$t"],
       "kwargs": {"reduction": "sum", "ignore_index": 1}},
      {"id": "g", "call": "cross_entropy_backward", "args": ["$x", "$t"]})json");
  ASSERT_TRUE(answer["ok"]) << answer["error"];
  EXPECT_EQ(answer["results"]["l"]["placements"], Json({"R"}));
  EXPECT_EQ(answer["results"]["l"]["locals"][0]["data"], Json({0.69314718}));
  EXPECT_EQ(answer["results"]["g"]["placements"], Json({"S(1)"}));
  EXPECT_EQ(answer["results"]["g"]["locals"][0]["data"], Json({-0.25, 0.25}));
  EXPECT_EQ(answer["results"]["g"]["locals"][1]["data"], Json({0.25, -0.25}));
  EXPECT_EQ(answer["collectives"][1]["step"], "g");
  EXPECT_EQ(answer["collectives"][1]["count"], 2);
  const auto refused = answerTo(tensors + R"json(
      {"id": "l", "call": "cross_entropy", "args": ["$x", "$t"],
       "kwargs": {"reduction": "median"}})json");
  EXPECT_EQ(refused["error"]["message"], "\"median\" is not a valid value for reduction");
}

// The backward of a dtype conversion passes the device of the input.
TEST(Session, GradientsPassThroughAChangeOfDType) {
  const auto answer = answerTo(R"json(
    {"id": "x", "call": "tensor", "data": [1.0, 2.0, 3.5], "placements": ["S(0)"],
     "requires_grad": true},
    {"id": "y", "call": "aten._to_copy", "args": ["$x"], "kwargs": {"dtype": "float64", "device": "cpu"}},
    {"id": "l", "call": "aten.sum", "args": ["$y"]},
    {"call": "backward", "args": ["$l"]},
    {"id": "g", "call": "grad", "args": ["$x"]})json");
  ASSERT_EQ(answer["error"], nullptr) << answer["error"];
  EXPECT_EQ(answer["results"]["g"]["dtype"], "float32");
  EXPECT_EQ(answer["results"]["g"]["locals"][0]["data"], Json({1.0, 1.0, 1.0}));
}

TEST(Session, AGradientThatLibtorchMakesOfNothingIsOnEveryRank) {
  const auto answer = answerTo(R"json(
    {"id": "x", "call": "tensor", "data": [1.0, -2.0, 3.0], "placements": ["S(0)"],
     "requires_grad": true},
    {"id": "y", "call": "aten.sgn", "args": ["$x"]},
    {"id": "l", "call": "aten.sum", "args": ["$y"]},
    {"call": "backward", "args": ["$l"]},
    {"id": "g", "call": "grad", "args": ["$x"]})json");
  ASSERT_EQ(answer["error"], nullptr) << answer["error"];
  EXPECT_EQ(answer["results"]["g"]["placements"], Json({"R"}));
  EXPECT_EQ(answer["results"]["g"]["locals"][1]["data"], Json({0.0, 0.0, 0.0}));
}

TEST(Session, ShardedReflectionsHaveGradients) {
  const auto answer = answerTo(R"json(
    {"id": "a", "call": "tensor", "data": [[1.0, 0.0], [2.0, 1.0]], "placements": ["S(1)"]},
    {"id": "t", "call": "tensor", "data": [0.5, 0.0], "placements": ["S(0)"],
     "requires_grad": true},
    {"id": "y", "call": "aten.linalg_householder_product", "args": ["$a", "$t"]},
    {"id": "l", "call": "aten.sum", "args": ["$y"]},
    {"id": "b", "call": "backward", "args": ["$l"]},
    {"id": "g", "call": "grad", "args": ["$t"]})json");
  ASSERT_EQ(answer["error"], nullptr) << answer["error"];
  EXPECT_EQ(answer["results"]["y"]["placements"], Json({"R"}));
  EXPECT_EQ(answer["results"]["y"]["locals"][0]["data"], Json({0.5, -1.0, -1.0, -1.0}));
  EXPECT_EQ(answer["results"]["g"]["placements"], Json({"S(0)"}));
  EXPECT_EQ(answer["results"]["g"]["locals"][0]["data"], Json({-9.0}));
  EXPECT_EQ(answer["results"]["g"]["locals"][1]["data"], Json({2.0}));
}

TEST(Session, GradientsPassThroughMaskedScatter) {
  const auto answer = answerTo(R"json(
    {"id": "x", "call": "tensor", "data": [1.0, -2.0, 3.0], "placements": ["S(0)"],
     "requires_grad": true},
    {"id": "m", "call": "tensor", "data": [true, false, true], "placements": ["R"], "dtype": "bool"},
    {"id": "v", "call": "tensor", "data": [9.0, 8.0], "placements": ["R"], "requires_grad": true},
    {"id": "y", "call": "aten.index_put", "args": ["$x", ["$m"], "$v", true]},
    {"id": "z", "call": "aten.mul.Tensor", "args": ["$y", "$y"]},
    {"id": "l", "call": "aten.sum", "args": ["$z"]},
    {"call": "backward", "args": ["$l"]},
    {"id": "g", "call": "grad", "args": ["$v"]})json");
  ASSERT_EQ(answer["error"], nullptr) << answer["error"];
  EXPECT_EQ(answer["results"]["g"]["locals"][0]["data"], Json({20.0, 22.0}));
}
}  // namespace
}  // namespace shardlens
