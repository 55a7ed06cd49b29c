#include "core/session/session.h"

#include "core/base/check.h"
#include "core/trace/journal/journal.h"
#include "tests/session/programs.h"
#include "tests/tensor/lingering.h"

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
                       {"rank": 1, "shape": [1], "data": [3.0]}]
}
, "step1" : {
  "shape" : [3],
  "dtype" : "float32",
  "placements" : ["S(0)"],
  "locals" : [
    {"rank" : 0, "shape" : [2], "data" : [ -1.0, -2.0 ]},
    {"rank" : 1, "shape" : [1], "data" : [-3.0]}
  ]
},
            "b" : {
  "shape" : [3], "dtype" : "float32", "placements" : ["R"], "locals" : [
    {"rank" : 0, "shape" : [3], "data" : [ 1.0, 2.0, 3.0 ]},
    {"rank" : 1, "shape" : [3], "data" : [ 1.0, 2.0, 3.0 ]}
  ]
}
}
, "collectives" : [ {"step" : "b", "kind" : "all_gather", "count" : 1, "bytes" : 12} ],
                  "error" : null
})json"));
}

TEST(Session, WritesNumbersThatAreNoneAsText) {
  const auto answer = answerTo(
      R"json({"id": "a", "call": "tensor", "data": ["nan", "inf", "-inf", 0.1], "placements": ["R"]})json");
  EXPECT_EQ(answer["results"]["a"]["locals"][0]["data"],
            Json::parse(R"json(["nan", "inf", "-inf", 0.1])json"));
}

// As PyTorch's wrapped numbers: one of another kind promotes the dtype, one of the same does not.
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
    if (journal.at(id).kind == EventKind::Operator) operators += journal.detail(journal.at(id));
  }
  EXPECT_EQ(operators, R"json({"args":["x: f32[2](S(0))"]}{"args":["x: f32[2](S(0))"]})json");
}

TEST(Session, TheAnswerSaysWhatEachStepLeft) {
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
  Session session(scenario(kRowWise), {.answer = Answer::Unwanted});
  while (session.step()) {
  }
  EXPECT_TRUE(session.ok());
  EXPECT_THROW(session.answer(), CheckFailed);
}

// How many collectives went on while the program did, beside what the answer says.
int letGoOn(const std::vector<EventSink*>& sinks) {
  std::shared_ptr<Lingering::State> state;
  const auto connect = [&state](int ranks) {
    auto comm = std::make_unique<Lingering>(std::make_unique<SimulatedCommunicator>(ranks));
    state = comm->state();
    return comm;
  };
  Session session(scenario(R"json({"shardlens": 1, "mesh": {"shape": [2]}, "steps": [
      {"id": "x", "call": "tensor", "data": [1, 2], "placements": ["S(0)"]},
      {"id": "y", "call": "redistribute", "args": ["$x"], "placements": ["R"]},
      {"id": "z", "call": "aten.neg", "args": ["$x"]},
      {"id": "k", "call": "aten.mul_.Scalar", "args": ["$y", 3]},
      {"id": "w", "call": "redistribute", "args": ["$x"], "placements": ["R"]}]})json"),
                  {.sinks = sinks, .backend = Backend::of(connect)});
  while (session.step()) {
  }
  EXPECT_EQ(session.answer()["results"]["y"]["locals"][1]["data"], Json({1.0, 2.0}));
  EXPECT_EQ(session.answer()["results"]["k"]["locals"][1]["data"], Json({3.0, 6.0}));
  EXPECT_EQ(session.answer()["results"]["w"]["locals"][1]["data"], Json({1.0, 2.0}));
  EXPECT_EQ(session.answer()["collectives"][0]["count"], 1);
  EXPECT_EQ(session.answer()["collectives"][0]["bytes"], 8);
  return state->letGo;
}

TEST(Session, CollectivesGoOnUnlessSomebodyWantsTimes) {
  EXPECT_EQ(letGoOn({}), 2);
  Journal why({.times = false});
  EXPECT_EQ(letGoOn({&why}), 2);
  Journal recording;
  EXPECT_EQ(letGoOn({&recording}), 0);
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

// A sink with a bug that shows when this kind of event ends, or is there without one.
class Buggy final : public EventSink {
 public:
  explicit Buggy(EventKind kind) : kind_(kind) {}
  void onMeta(std::string_view, std::string_view) override {}
  void onString(StringId, std::string_view) override {}
  void onTensor(const TensorRecord&) override {}
  void onEvent(EventId, const Event& event) override {
    if (event.duration != Event::kRunning) onEnd(0, event);
  }
  void onValue(const ValueRecord&) override {}
  void onEnd(EventId, const Event& event) override {
    if (event.kind == kind_) throw CheckFailed("a bug of mine");
  }

 private:
  EventKind kind_;
};

TEST(Session, ABugAtTheEndOfTheLastStepFailsTheRun) {
  Buggy buggy(EventKind::Step);
  Session session(scenario(R"json({"shardlens": 1, "mesh": {"shape": [2]}, "steps": [
      {"id": "x", "call": "tensor", "data": [1, 2], "placements": ["S(0)"]}]})json"),
                  {.sinks = {&buggy}});
  EXPECT_FALSE(session.step());
  EXPECT_EQ(session.error(), "step x: a bug of mine");
  EXPECT_EQ(session.answer()["ok"], false);
}

// Of a tensor that nobody has recorded before.
TEST(Session, ABugMetByAResultEndsTheStep) {
  Buggy buggy(EventKind::Result);
  Session session(scenario(R"json({"shardlens": 1, "mesh": {"shape": [2]}, "steps": [
      {"id": "x", "call": "tensor", "data": [1, 2], "placements": ["S(0)"]},
      {"id": "y", "call": "aten.neg", "args": ["$x"]}]})json"),
                  {.sinks = {&buggy}});
  EXPECT_FALSE(session.step());
  EXPECT_EQ(session.error(), "step x: a bug of mine");
  EXPECT_TRUE(session.answer()["results"].empty());
}

TEST(Session, ABugThatADestructorMeetsEndsTheStep) {
  const struct {
    EventKind kind;
    const char* error;
  } cases[] = {{EventKind::Operator, "step y: a bug of mine"},
               {EventKind::Step, "step x: a bug of mine"}};
  for (const auto& [kind, error] : cases) {
    Buggy buggy(kind);
    Session session(scenario(kRowWise), {.sinks = {&buggy}});
    while (session.step()) {
    }
    EXPECT_EQ(session.error(), error);
  }
}

// Of two equal logits a class has the probability 1/2: numbers that are exact in every order.
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

struct Refused {
  const char* step;
  const char* message;
};

TEST(Session, RefusesAStepAndKeepsWhatCameBefore) {
  const std::string a = R"json({"id": "a", "call": "tensor", "fill": "arange", "shape": [4, 4],
                            "placements": ["S(0)"]},)json";
  const std::vector<Refused> cases = {
      {R"json({"id": "b", "call": "aten.neg", "args": ["$c"]})json",
       "$c: no step before this one has that name"},
      {R"json({"id": "b", "call": "aten.frobnicate", "args": ["$a"]})json",
       "operator aten.frobnicate does not exist"},
      {R"json({"id": "b", "call": "aten.linalg_eig", "args": ["$a"]})json",
       "Operator aten.linalg_eig.default does not have a sharding strategy registered."},
      {R"json({"id": "b", "call": "aten.transpose.int", "args": ["$a", "zero", 1]})json",
       "aten.transpose.int: argument dim0: got \"zero\", expected int"},
      {R"json({"id": "b", "call": "aten.neg", "args": ["$a", 1]})json",
       "aten.neg: got 2 arguments, expected at most 1"},
      {R"json({"id": "b", "call": "aten.add.Tensor", "args": ["$a"]})json",
       "aten.add.Tensor: got no argument other, expected Tensor"},
      {R"json({"id": "b", "call": "aten.neg", "args": ["$a"], "kwargs": {"beta": 1}})json",
       "aten.neg: got argument 'beta', which it does not have"},
      {R"json({"id": "b", "call": "frobnicate"})json",
       "unknown call 'frobnicate', expected tensor, from_locals, redistribute, cross_entropy, "
       "cross_entropy_backward, backward, grad, detach, sharded_embedding, "
       "sharded_embedding_bag, or aten.NAME"},
      {R"json({"id": "b", "call": "redistribute", "args": ["$a"]})json",
       "placements: got none, expected one placement for each mesh dimension"},
      {R"json({"id": "b", "call": "redistribute", "args": ["$a"], "placements": ["Q"]})json",
       "unknown placement 'Q', expected R, S(dim), SS(dim, split_factor), P(op), P(premul_sum, "
       "factor), NormP(p) or MaskP(op, [shape], dim)"},
      {R"json({"id": "b", "call": "grad", "args": ["$a"]})json",
       "grad: the tensor has no gradient"},
      {R"json({"id": "b", "call": "aten.sum.dim_IntList", "args": ["$a", [0]], "kwargs": {"dim": [1]}})json",
       "aten.sum.dim_IntList: got argument 'dim' twice"},
      {R"json({"id": "b", "call": "aten.add.Tensor", "args": ["$a", "$a", 5]})json",
       "aten.add.Tensor: got alpha by its position, expected it by name"},
      {R"json({"id": "b", "call": "aten.neg", "args": ["$a"], "kwargs": 5})json",
       "aten.neg: got kwargs 5, expected names with values"},
      {R"json({"id": "b", "call": "aten.zeros", "args": [[2]]})json",
       "b: got a plain tensor for a result, expected a sharded one"},
      {R"json({"id": "b", "call": "redistribute", "args": ["$a"], "placements": "R"})json",
       "placements: got \"R\", expected one placement for each mesh dimension"},
      {R"json({"id": "b", "call": "tensor", "data": [1], "placements": ["R"], "requires_grad": 1})json",
       "requires_grad: got 1, expected true or false"},
      {R"json({"id": "b", "call": "tensor", "data": [300], "dtype": "uint8", "placements": ["R"]})json",
       "data: got a number that uint8 does not hold"},
      {R"json({"id": "b", "call": "tensor", "data": [18446744073709551615], "placements": ["R"]})json",
       "data: got 18446744073709551615, expected a number that int64 holds"},
      {R"json({"id": "b", "call": "aten.select.int", "args": ["$a", 0, 9223372036854775808]})json",
       "aten.select.int: argument index: got 9223372036854775808, expected int"},
      {R"json({"id": "b", "call": "aten.roll", "args": ["$a", [-9223372036854775808], [0]]})json",
       "aten.roll: got a number below -4611686018427387904, expected a larger one"},
      {R"json({"id": "b", "call": "tensor", "data": [1, 2, 3], "shape": [2, 2], "placements": ["R"]})json",
       "data: got 3 elements, expected 4 for shape [2, 2]"},
      {R"json({"id": "b", "call": "tensor", "data": [[1, 2], [3]], "placements": ["R"]})json",
       "data: got lists of different lengths, expected [2, 2]"},
      {R"json({"id": "b", "call": "tensor", "fill": "zeros", "shape": [2], "placements": ["R"]})json",
       "fill: got \"zeros\", expected randn, rand, randint, arange or full"},
      {R"json({"id": "b", "call": "tensor", "fill": "randn", "shape": [-2], "placements": ["R"]})json",
       "shape: got [-2], expected a list of sizes"},
      {R"json({"id": "b", "call": "tensor", "fill": "randn", "shape": [9223372036854775808], "placements": ["R"]})json",
       "shape: got [9223372036854775808], expected a list of sizes"},
      {R"json({"id": "b", "call": "tensor", "data": [1], "dtype": "float9", "placements": ["R"]})json",
       "dtype: got \"float9\", expected one like float32 or int64"},
      {R"json({"id": "b", "call": "aten._index_put_impl_", "args": ["$a", [null, "$a"], "$a"]})json",
       "aten.index: got indices of Float, expected tensors used as indices to be long, int, byte "
       "or bool"},
      {R"json({"id": "b", "call": "aten.index.Tensor", "args": ["$a", [null]]})json",
       "aten.index: at least one index must be provided"},
      {R"json({"id": "b", "call": "aten.unfold_backward", "args": ["$a", [], 3, 2, 3]})json",
       "aten.unfold_backward: dim: got 3, expected one of input_sizes [1]"},
      {R"json({"id": "b", "call": "aten.unfold_backward", "args": ["$a", [5], 0, 4, 2]})json",
       "aten.unfold_backward: grad_in: got shape [4, 4], expected [1, 4]"},
      {R"json({"id": "b", "call": "aten.unfold_backward", "args": ["$a", [4], 0, 5, 1]})json",
       "aten.unfold_backward: got windows of 5 every 1, expected some that fit into 4"},
      {R"json({"id": "b", "call": "aten._scaled_dot_product_flash_attention_for_cpu", "args": ["$a", "$a", "$a"]})json",
       "aten._scaled_dot_product_flash_attention_for_cpu: query: got 2 dimensions, expected 4"},
      {R"json({"id": "b", "call": "aten._scaled_dot_product_flash_attention_for_cpu_backward",
               "args": ["$a", "$a", "$a", "$a", "$a", "$a", 0.0, false]})json",
       "aten._scaled_dot_product_flash_attention_for_cpu_backward: query: got 2 dimensions, "
       "expected 4"},
      {R"json({"id": "b", "call": "aten.nll_loss2d_forward", "args": ["$a", "$a", null, 1, -1]})json",
       "aten.nll_loss2d_forward: self: got 2 dimensions, expected 4"},
      {R"json({"id": "b", "call": "aten.nll_loss_forward", "args": ["$a", "$a", null, 3, -1]})json",
       "aten.nll_loss_forward: reduction: got 3, expected 0 (none), 1 (mean) or 2 (sum)"},
      {R"json({"id": "b", "call": "aten.addmv", "args": ["$a", "$a", "$a"]})json",
       "self: got shape [4, 4], expected at most 1 dimensions, as the product has"},
      {R"json({"id": "b", "call": "aten._embedding_bag_dense_backward",
               "args": ["$a", "$a", "$a", "$a", "$a", 1, false, -1, null]})json",
       "aten._embedding_bag_dense_backward: mode: got -1, expected 0 (sum), 1 (mean) or 2 (max)"},
      {R"json({"id": "b", "call": "aten.native_layer_norm_backward",
               "args": ["$a", "$a", [4], "$a", "$a", null, null, [true]]})json",
       "aten.native_layer_norm_backward: argument output_mask: got 1 truth values, expected 3"},
      {R"json({"id": "b", "call": "from_locals", "locals": [{"data": [1]}], "placements": ["S(0)"]})json",
       "locals: got 1, expected one for each of 2 ranks"}};
  for (const auto& [step, message] : cases) {
    const auto answer = answerTo(a + step);
    EXPECT_EQ(answer["ok"], false);
    EXPECT_EQ(answer["error"], Json({{"step", "b"}, {"message", message}}));
    EXPECT_TRUE(answer["results"].contains("a"));
    EXPECT_EQ(answer["results"].size(), 1u);
  }
}

TEST(Session, RefusesMoreStepsForAnElementThanEnd) {
  const std::string x = R"json({"id": "x", "call": "tensor", "fill": "full", "value": 0.5,
                            "shape": [2], "placements": ["S(0)"]},)json";
  const std::string most = ", expected at most 16777216: each element takes as many steps";
  const std::vector<Refused> cases = {
      {R"("aten.special_laguerre_polynomial_l", "args": ["$x", 1000000000])", "n: got 1000000000"},
      {R"("aten.special_legendre_polynomial_p.n_scalar", "args": ["$x", 16777217])",
       "n: got 16777217"},
      {R"("aten.special_hermite_polynomial_h.x_scalar", "args": [0.5, "$n"])", "n: got 16777218"},
      {R"("aten.mvlgamma", "args": ["$x", 9223372036854775807])", "p: got 9223372036854775807"}};
  for (const auto& [call, got] : cases) {
    const auto answer = answerTo(x + R"json({"id": "n", "call": "tensor", "data": [2, 16777218],
        "dtype": "int32", "placements": ["S(0)"]},)json" +
                                 R"({"id": "b", "call": )" + call + "}");
    EXPECT_EQ(answer["error"]["message"], got + most);
  }
  const auto ran = answerTo(
      x + R"({"call": "aten.special_laguerre_polynomial_l.n_scalar", "args": ["$x", 16777216]})");
  EXPECT_EQ(ran["ok"], true);
}

TEST(Session, RefusesWhatLibtorchWouldNotLookAt) {
  const std::string x = R"json({"id": "x", "call": "tensor", "fill": "arange", "shape": [4, 4],
                            "placements": ["S(1)"]}, {"id": "b", "call": "aten.)json";
  const std::vector<Refused> cases = {
      {R"(_reshape_alias", "args": ["$x", [8], [1]]})",
       "shape '[8]' is invalid for input of size 16"},
      {R"(_reshape_alias", "args": ["$x", [-16], [1]]})",
       "aten._reshape_alias: size: got [-16], expected none below 0"},
      {R"(_reshape_alias", "args": ["$x", [16], [-1]]})",
       "aten._reshape_alias: stride: got [-1], expected none below 0"},
      {R"(_index_put_impl", "args": ["$x", [null, null], "$x"]})",
       "aten.index: at least one index must be provided"}};
  for (const auto& [call, message] : cases) {
    EXPECT_EQ(answerTo(x + call)["error"]["message"], message);
  }
}

TEST(Session, QuotesNoMoreThanTheBeginningOfALongArgument) {
  const std::string text(5000, 'm');
  const std::string quoted = '"' + std::string(39, 'm') + "...";
  for (const auto& [step, message] : std::vector<std::pair<std::string, std::string>>{
           {R"("fill": "randn", "shape": [2], "seed": ")" + text + R"(", "placements": ["R"])",
            "seed: got " + quoted + ", expected a whole number"},
           {R"("data": [1], "placements": ")" + text + '"',
            "placements: got " + quoted + ", expected one placement for each mesh dimension"}}) {
    const auto answer = answerTo(R"({"id": "a", "call": "tensor", )" + step + "}");
    EXPECT_EQ(answer["error"]["message"], message);
  }
}

TEST(Session, RefusesATensorThatMemoryCannotHold) {
  const auto answer = answerTo(R"json(
      {"id": "a", "call": "tensor", "fill": "randn", "shape": [1048576, 1048576, 4], "dtype": "float32",
       "placements": ["S(0)"]})json");
  const auto message = answer["error"]["message"].get<std::string>();
  EXPECT_TRUE(message.starts_with("got a tensor of 17592186044416 bytes, expected at most "))
      << message;
}

}  // namespace
}  // namespace shardlens
