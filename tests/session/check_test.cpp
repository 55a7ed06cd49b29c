// Programs that run on plain tensors as well, to check the results of the sharded ones.

#include "core/legacy/register_legacy.h"
#include "core/trace/journal/journal.h"
#include "tests/session/programs.h"

#include <nlohmann/json.hpp>

#include <memory>

namespace shardlens {
namespace {

using Json = nlohmann::ordered_json;

const bool kHasLegacy = (registerLegacy(), true);

struct Run {
  Json answer;
  bool agrees = true;
  std::string events = {};  // all events except checks
  std::string checks = {};
};

Run run(const std::string& text, Results results) {
  Journal journal;
  Session session(scenario(text), {.sinks = {&journal}, .results = results});
  while (session.step()) {
  }
  Run done{session.answer(), session.agrees()};
  for (EventId id = 1; id <= journal.size(); ++id) {
    const Event& event = journal.at(id);
    const bool isCheck = event.kind == EventKind::Check;
    auto& lines = isCheck ? done.checks : done.events;
    lines += std::string(journal.name(event)) + " " + std::string(journal.detail(event)) + "\n";
  }
  return done;
}

std::string onTwo(const std::string& steps, const std::string& mode = R"("masking": "fused")") {
  return R"({"shardlens": 1, "mesh": {"shape": [2]}, )" + mode + R"(, "steps": [)" + steps + "]}";
}

// Returns the results as "x y? z!": x agrees, y was not checked, z differs.
std::string verdicts(const Json& answer) {
  std::string text;
  for (const auto& check : answer["check"]) {
    text += (text.empty() ? "" : " ") + check["result"].get<std::string>();
    if (check["ok"] != true) text += check["ok"].is_null() ? "?" : "!";
  }
  return text;
}

const std::string kRandom = R"json(
    {"id": "x", "call": "tensor", "fill": "full", "value": 1, "shape": [5, 3], "placements": ["S(0)"],
     "requires_grad": true},
    {"id": "d", "call": "aten.native_dropout", "args": ["$x", 0.5, true]},
    {"id": "n", "call": "aten.randn_like", "args": ["$x"]},
    {"id": "f", "call": "aten.dropout", "args": ["$x", 0.25, true]},
    {"id": "l", "call": "aten.sum", "args": ["$f"]},
    {"call": "backward", "args": ["$l"]},
    {"id": "g", "call": "grad", "args": ["$x"]},
    {"id": "e", "call": "aten.empty_like", "args": ["$n"]},
    {"id": "u", "call": "aten.uniform_", "args": ["$e"]},
    {"id": "b", "call": "aten.bernoulli", "args": ["$e"]})json";

TEST(Check, RandomNumbersAreDrawnFromWhereTheShardedStepBegan) {
  EXPECT_EQ(verdicts(run(onTwo(kRandom), Results::Checked).answer), "x d.0 d.1 n f l g e? u b");
}

TEST(Check, ElementsThatNoStepSetAreNotCompared) {
  EXPECT_EQ(verdicts(run(onTwo(R"json(
    {"id": "x", "call": "tensor", "data": [1, 2, 3], "placements": ["S(0)"]},
    {"id": "e", "call": "aten.new_empty", "args": ["$x", [1]]},
    {"id": "moved", "call": "redistribute", "args": ["$e"], "placements": ["R"]},
    {"id": "added", "call": "aten.add.Tensor", "args": ["$x", "$moved"]},
    {"id": "shape", "call": "aten.zeros_like", "args": ["$added"]},
    {"id": "set", "call": "aten.fill_.Scalar", "args": ["$moved", 3]},
    {"id": "sum", "call": "aten.add.Tensor", "args": ["$x", "$set"]},
    {"id": "later", "call": "aten.add.Tensor", "args": ["$x", "$moved"]},
    {"id": "spoilt", "call": "aten.copy_", "args": ["$x", "$added"]},
    {"id": "read", "call": "detach", "args": ["$x"]},
    {"id": "out", "call": "aten.add.out", "args": ["$sum", "$sum"], "kwargs": {"out": "$x"}},
    {"id": "again", "call": "detach", "args": ["$x"]}
  )json"),
                         Results::Checked)
                         .answer),
            "x e? moved? added? shape set sum later spoilt? read? out again");
}

TEST(Check, ATensorOfTheScenarioCanBeDetachedInPlace) {
  const auto done = run(onTwo(R"json(
    {"id": "x", "call": "tensor", "data": [[1, -1]], "dtype": "complex128", "placements": ["R"]},
    {"id": "y", "call": "aten.detach_", "args": ["$x"]}
  )json"),
                        Results::Checked);
  EXPECT_EQ(verdicts(done.answer), "x y");
}

TEST(Check, AppliesInPlaceWritesToThePlainTensorToo) {
  const auto done = run(onTwo(R"json(
    {"id": "x", "call": "tensor", "data": [1, 2, 3], "placements": ["S(0)"]},
    {"id": "a", "call": "aten.mul_.Scalar", "args": ["$x", 3]},
    {"id": "seen", "call": "detach", "args": ["$x"]},
    {"id": "same", "call": "redistribute", "args": ["$x"], "placements": ["S(0)"]},
    {"id": "own", "call": "redistribute", "args": ["$x"], "placements": ["R"]},
    {"id": "b", "call": "aten.add_.Scalar", "args": ["$same", 1]},
    {"id": "c", "call": "aten.add_.Scalar", "args": ["$own", 5]},
    {"id": "again", "call": "detach", "args": ["$x"]},
    {"id": "into", "call": "tensor", "data": [0, 0, 0], "placements": ["S(0)"]},
    {"id": "out", "call": "aten.add.out", "args": ["$x", "$same"], "kwargs": {"out": "$into"}},
    {"id": "left", "call": "detach", "args": ["$into"]}
  )json"),
                        Results::Checked);
  EXPECT_EQ(done.answer["results"]["again"]["locals"][0]["data"], Json({4., 7.}));
  EXPECT_EQ(verdicts(done.answer), "x a seen same own b c again into out left");
}

TEST(Check, TheLegacyLookupsAreTorchsOwnPlainly) {
  EXPECT_EQ(verdicts(run(onTwo(R"json(
    {"id": "w", "call": "tensor", "fill": "randn", "shape": [9, 4], "placements": ["S(0)"],
     "ranks": [1, 0], "requires_grad": true},
    {"id": "c", "call": "tensor", "fill": "randn", "shape": [9, 4], "placements": ["S(1)"]},
    {"id": "x", "call": "tensor", "data": [[0, 8], [4, 4]], "dtype": "int64", "placements": ["S(0)"]},
    {"id": "v", "call": "tensor", "data": [3, 8, 0], "dtype": "int64", "placements": ["R"]},
    {"id": "o", "call": "tensor", "data": [0, 2], "dtype": "int64", "placements": ["R"]},
    {"id": "p", "call": "tensor", "data": [1.5, 2, 3], "placements": ["R"]},
    {"id": "a", "call": "sharded_embedding", "args": ["$w", "$x"], "kwargs": {"padding_idx": -1}},
    {"id": "l", "call": "aten.sum", "args": ["$a"]},
    {"call": "backward", "args": ["$l"]},
    {"id": "g", "call": "grad", "args": ["$w"]},
    {"id": "r", "call": "sharded_embedding", "args": ["$c", "$v"], "kwargs": {"max_norm": 0.5}},
    {"id": "now", "call": "detach", "args": ["$c"]},
    {"id": "mean", "call": "sharded_embedding_bag", "args": ["$c", "$x"]},
    {"id": "sum", "call": "sharded_embedding_bag", "args": ["$w", "$v"],
     "kwargs": {"mode": "sum", "offsets": "$o", "per_sample_weights": "$p", "padding_idx": -9}},
    {"id": "max", "call": "sharded_embedding_bag", "args": ["$c", "$v"],
     "kwargs": {"mode": "max", "offsets": "$o"}}
  )json"),
                         Results::Checked)
                         .answer),
            "w c x v o p a l g r now mean sum max");
}

// Masked ids, lookups and partial values are checked without consuming the mask.
TEST(Check, ComparesAPartialByItsValue) {
  const auto done = run(onTwo(R"json(
    {"id": "w", "call": "tensor", "fill": "randn", "shape": [9, 4], "placements": ["S(0)"]},
    {"id": "x", "call": "tensor", "data": [0, 8, 4], "dtype": "int64", "placements": ["R"]},
    {"id": "m", "call": "redistribute", "args": ["$x"], "placements": ["MaskP(sum, [9, 4], 0)"]},
    {"id": "y", "call": "aten.embedding", "args": ["$w", "$m"]},
    {"id": "z", "call": "redistribute", "args": ["$y"], "placements": ["S(1)"]},
    {"id": "n", "call": "aten.linalg_vector_norm", "args": ["$z"]}
  )json",
                              R"("masking": "stepwise")"),
                        Results::Checked);
  EXPECT_EQ(done.answer["results"]["n"]["placements"], Json({"NormP(2)"}));
  EXPECT_EQ(verdicts(done.answer), "w x m y z n");
}

TEST(Check, ChangesNothingOfTheRun) {
  const std::string lookUp =
      R"json(, {"id": "w", "call": "tensor", "fill": "randn", "shape": [600, 16],
     "placements": ["S(0)"]},
    {"id": "i", "call": "tensor", "fill": "randint", "low": 0, "high": 600, "shape": [2000],
     "dtype": "int64", "placements": ["R"]},
    {"id": "y", "call": "aten.embedding", "args": ["$w", "$i"]},
    {"id": "z", "call": "redistribute", "args": ["$y"], "placements": ["R"]},
    {"id": "r", "call": "aten.randn_like", "args": ["$z"]})json";
  for (const char* mode : {R"("masking": "fused")", R"("masking": "stepwise")",
                           R"("emulate": "torch-2.15")", R"("emulate": "before-131264")"}) {
    const auto text = onTwo(kRandom + lookUp, mode);
    const auto trusted = run(text, Results::Trusted);
    auto checked = run(text, Results::Checked);
    EXPECT_EQ(checked.events, trusted.events);
    EXPECT_EQ(verdicts(checked.answer), "x d.0 d.1 n f l g e? u b w i y z r");
    checked.answer.erase("check");
    for (auto* answer : {&checked.answer, const_cast<Json*>(&trusted.answer)}) {
      (*answer)["results"].erase("e");  // uninitialised memory
    }
    EXPECT_EQ(checked.answer, trusted.answer);
  }
}

// The mask of v is applied to the lookup of x, as in PyTorch 2.15.
TEST(Check, FindsTheResultThatAnothersMaskSpoilt) {
  const auto done = run(onTwo(R"json(
    {"id": "w", "call": "tensor", "fill": "arange", "shape": [10, 1], "placements": ["S(0)"]},
    {"id": "x", "call": "tensor", "data": [0, 9], "dtype": "int64", "placements": ["R"]},
    {"id": "v", "call": "tensor", "data": [9, 4], "dtype": "int64", "placements": ["R"]},
    {"id": "a", "call": "aten.embedding", "args": ["$w", "$x"]},
    {"id": "c", "call": "redistribute", "args": ["$a"], "placements": ["R"]},
    {"id": "b", "call": "aten.embedding", "args": ["$w", "$v"]},
    {"id": "d", "call": "redistribute", "args": ["$a"], "placements": ["R"]},
    {"id": "e", "call": "redistribute", "args": ["$b"], "placements": ["R"]}
  )json",
                              R"("emulate": "torch-2.15")"),
                        Results::Checked);
  EXPECT_EQ(done.answer["error"]["step"], "e");
  EXPECT_FALSE(done.agrees);
  EXPECT_EQ(verdicts(done.answer), "w x v a c b d!");
  EXPECT_EQ(
      done.answer["check"].back(),
      Json::parse(
          R"json({"result": "d", "largest": 9, "relative": 1, "bound": 1.53e-05, "at": [1, 0], "rank": 0,
                                "got": 0, "expected": 9, "ok": false})json"));
  EXPECT_TRUE(
      done.checks.ends_with("d "
                            "{\"largest\":9,\"relative\":1,\"bound\":1.53e-05,\"at\":[1,0],"
                            "\"rank\":0,\"got\":0,\"expected\":9}\n"))
      << done.checks;
}

// The plan and the materialized buffer of b belong to the other table, so no rank can reduce b.
TEST(Check, AResultWithoutAValueIsBad) {
  const auto done = run(onTwo(R"json(
    {"id": "w", "call": "tensor", "fill": "arange", "shape": [10, 1], "placements": ["S(0)"]},
    {"id": "u", "call": "tensor", "fill": "arange", "shape": [10, 2], "placements": ["S(0)"]},
    {"id": "x", "call": "tensor", "data": [0, 9], "dtype": "int64", "placements": ["R"]},
    {"id": "a", "call": "aten.embedding", "args": ["$w", "$x"]},
    {"id": "c", "call": "redistribute", "args": ["$a"], "placements": ["R"]},
    {"id": "b", "call": "aten.embedding", "args": ["$u", "$x"]},
    {"id": "d", "call": "aten.sum", "args": ["$c"]}
  )json",
                              R"("emulate": "before-131264")"),
                        Results::Checked);
  EXPECT_EQ(done.answer["error"], Json());
  EXPECT_FALSE(done.agrees);
  EXPECT_EQ(verdicts(done.answer), "w u x a c b! d");
  EXPECT_EQ(done.answer["check"][5]["why"],
            "it has no value: MaskBuffer has not been materialized");
}

TEST(Check, EndsWithTheStepBeforeARefusedOne) {
  const auto done = run(onTwo(R"json(
    {"id": "x", "call": "tensor", "data": [1, 2], "placements": ["S(0)"]},
    {"id": "y", "call": "aten.neg", "args": ["$x"]},
    {"id": "bad", "call": "aten.frobnicate", "args": ["$x"]}
  )json"),
                        Results::Checked);
  EXPECT_EQ(done.answer["error"]["step"], "bad");
  EXPECT_TRUE(done.agrees);
  EXPECT_EQ(verdicts(done.answer), "x y");
}

// The legacy lookup allows a second backward. torch's graph has freed its saved tensors.
TEST(Check, APlainStepThatIsRefusedIsADifference) {
  const auto done = run(onTwo(R"json(
    {"id": "w", "call": "tensor", "fill": "randn", "shape": [4, 2], "placements": ["S(0)"],
     "requires_grad": true},
    {"id": "x", "call": "tensor", "data": [3, 0], "dtype": "int64", "placements": ["R"]},
    {"id": "y", "call": "sharded_embedding", "args": ["$w", "$x"]},
    {"id": "l", "call": "aten.sum", "args": ["$y"]},
    {"id": "once", "call": "backward", "args": ["$l"]},
    {"id": "twice", "call": "backward", "args": ["$l"]},
    {"id": "z", "call": "aten.neg", "args": ["$l"]}
  )json"),
                        Results::Checked);
  EXPECT_EQ(done.answer["error"], Json());
  EXPECT_FALSE(done.agrees);
  EXPECT_EQ(verdicts(done.answer), "w x y l twice! z");
  EXPECT_TRUE(done.answer["check"][4]["why"].get<std::string>().starts_with(
      "the plain step is refused: Trying to backward through the graph a second time"))
      << done.answer["check"][4];
}

// For from_locals, the replica of the lowest rank is the expected value.
TEST(Check, LooksAtEveryReplica) {
  const auto done = run(onTwo(R"json(
    {"id": "p", "call": "from_locals", "placements": ["R"],
     "locals": [{"data": [[1, 2], [3, 4]]}, {"data": [[1, 2], ["nan", 4.5]]}]},
    {"id": "y", "call": "aten.neg", "args": ["$p"]},
    {"id": "s", "call": "aten.sum", "args": ["$p"]}
  )json"),
                        Results::Checked);
  EXPECT_EQ(verdicts(done.answer), "p! y! s!");
  EXPECT_EQ(done.answer["check"][0]["rank"], 1);
  EXPECT_EQ(done.answer["check"][0]["expected"], 3);
  EXPECT_EQ(
      done.answer["check"][1],
      Json::parse(
          R"json({"result": "y", "largest": "nan", "relative": "nan", "bound": 1.91e-06, "at": [1, 0],
                          "rank": 1, "got": "nan", "expected": -3, "ok": false})json"));
}

TEST(Check, ComplexNumbersDifferByTheirDistanceInThePlane) {
  const auto done = run(onTwo(R"json(
    {"id": "p", "call": "from_locals", "placements": ["R"],
     "locals": [{"data": ["3+4j", "1j"], "dtype": "complex64"},
                {"data": ["1j", "1.000001j"], "dtype": "complex64"}]},
    {"id": "x", "call": "tensor", "data": ["1+2j", "nan+0j"], "dtype": "complex128",
     "placements": ["S(0)"]},
    {"id": "y", "call": "aten.mul.Tensor", "args": ["$x", "2-1j"]}
  )json"),
                        Results::Checked);
  EXPECT_EQ(done.answer["error"], Json());
  EXPECT_EQ(verdicts(done.answer), "p! x y");
  EXPECT_EQ(
      done.answer["check"][0],
      Json::parse(
          R"json({"result": "p", "largest": 4.24, "relative": 0.849, "bound": 3.44e-06, "at": [0],
                          "rank": 1, "got": "0+1j", "expected": "3+4j", "ok": false})json"));
  EXPECT_EQ(done.answer["results"]["y"]["locals"][0]["data"], Json::parse(R"(["4+3j"])"));
  EXPECT_EQ(done.answer["results"]["y"]["locals"][1]["data"], Json::parse(R"(["nan+nanj"])"));
}

TEST(Check, IsNotInTheAnswerUnlessRequested) {
  const auto done = run(onTwo(kRandom), Results::Trusted);
  EXPECT_FALSE(done.answer.contains("check"));
  EXPECT_EQ(done.checks, "");
  EXPECT_TRUE(done.agrees);
}

}  // namespace
}  // namespace shardlens
