// What rounding explains: no correct program differs from plain tensors, and errors do.

#include "core/session/check/rounding_bounds.h"

#include "core/memory/dtypes.h"
#include "core/session/check/comparison.h"
#include "core/tensor/dispatch/make_runtime.h"
#include "core/tensor/distribute.h"
#include "tests/session/programs.h"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

namespace shardlens {
namespace {

std::string tensor(const char* id, const char* shape, const char* dtype, const char* placements) {
  return fmt::format(R"({{"id": "{}", "call": "tensor", "fill": "randn", "shape": {}, "dtype": "{}",
      "placements": ["{}"], "requires_grad": true}},)",
                     id, shape, dtype, placements);
}

// A product whose sums are long, and the layers of a model behind it, forward and backward. `down`
// is sharded by rows, so that ranks add partial values.
std::string layers(const char* dtype) {
  return tensor("x", "[32, 512]", dtype, "R") + tensor("up", "[512, 64]", dtype, "S(1)") +
         tensor("down", "[64, 48]", dtype, "S(0)") +
         R"json({"id": "h", "call": "aten.mm", "args": ["$x", "$up"]},
      {"id": "a", "call": "aten.tanh", "args": ["$h"]},
      {"id": "y", "call": "aten.mm", "args": ["$a", "$down"]},
      {"id": "z", "call": "redistribute", "args": ["$y"], "placements": ["R"]},
      {"id": "c", "call": "aten.cumsum", "args": ["$z", 0]},
      {"id": "s", "call": "aten.softmax.int", "args": ["$c", 1]},
      {"id": "l", "call": "aten.sum", "args": ["$s"]},
      {"id": "q", "call": "aten.mul.Tensor", "args": ["$s", "$z"]},
      {"id": "m", "call": "aten.mean", "args": ["$q"]},
      {"call": "backward", "args": ["$m"]},
      {"id": "gx", "call": "grad", "args": ["$x"]},
      {"id": "gu", "call": "grad", "args": ["$up"]},
      {"id": "gd", "call": "grad", "args": ["$down"]})json";
}

std::string program(const std::string& steps) {
  return R"({"shardlens": 1, "mesh": {"shape": [4]}, "steps": [)" + steps + "]}";
}

// Addends of 1000 whose sum is 0 or almost: only they tell how far rounding moves it.
std::string cancellation(const char* dtype) {
  return fmt::format(R"json(
      {{"id": "x", "call": "tensor", "fill": "randn", "shape": [8, 64], "dtype": "{0}",
        "placements": ["S(1)"]}},
      {{"id": "w", "call": "tensor", "fill": "randn", "shape": [64, 8], "dtype": "{0}",
        "placements": ["S(0)"]}},
      {{"id": "big", "call": "aten.mul.Scalar", "args": ["$w", 1000]}},
      {{"id": "minus", "call": "aten.neg", "args": ["$big"]}},
      {{"id": "xx", "call": "aten.cat", "args": [["$x", "$x"], 0]}},
      {{"id": "y", "call": "aten.mm", "args": ["$xx", "$big"]}},
      {{"id": "n", "call": "aten.mm", "args": ["$xx", "$minus"]}},
      {{"id": "d", "call": "aten.add.Tensor", "args": ["$y", "$n"]}},
      {{"id": "z", "call": "redistribute", "args": ["$d"], "placements": ["R"]}})json",
                     dtype);
}

TEST(RoundingBounds, ContainCorrectProgramsOfEachDtype) {
  for (const char* dtype : {"float64", "float32", "bfloat16", "float16"}) {
    for (const auto& steps : {layers(dtype), cancellation(dtype)}) {
      Session session(scenario(program(steps)), {.results = Results::Checked});
      while (session.step()) {
      }
      EXPECT_TRUE(session.agrees()) << dtype << ": " << session.answer()["check"].dump(1);
    }
  }
}

// The plain results of a program and what rounding explains of them.
struct Bounded {
  Values plain = {};
  RoundingBounds bounds = {};
};

Bounded bounded(const Scenario& scenario) {
  Bounded done;
  const auto generator = at::detail::getDefaultCPUGenerator();
  for (const ScenarioStep& step : scenario.steps) {
    const auto state = generator.get_state();
    PlainTensors tensors(done.plain);
    for (auto& [name, made] : namedResults(step, runCall(tensors, done.plain, step))) {
      done.plain[name] = made;
    }
    done.bounds.run(step, done.plain, state);
  }
  return done;
}

TEST(RoundingBounds, DoNotExplainErrorsOfFourBounds) {
  const auto runtime = makeSimulatedRuntime(DeviceMesh::make({4}).value());
  const auto steps = R"json(
      {"id": "h", "call": "aten.mm", "args": ["$x", "$up"]},
      {"id": "a", "call": "aten.gelu", "args": ["$h"]},
      {"id": "y", "call": "aten.mm", "args": ["$a", "$down"]})json";
  for (const char* dtype : {"float64", "float32", "bfloat16", "float16"}) {
    const auto text =
        program(tensor("x", "[32, 512]", dtype, "R") + tensor("up", "[512, 64]", dtype, "R") +
                tensor("down", "[64, 48]", dtype, "R") + steps);
    const Bounded done = bounded(scenario(text));
    for (const char* name : {"h", "a", "y"}) {
      const auto plain = done.plain.at(name).detach();
      const auto bound = done.bounds.of(name, plain).detach();
      for (const std::int64_t row : {0, 13, 31}) {
        auto wrong = plain.to(at::kDouble).clone();
        wrong[row][7] += bound[row][7] * 4;
        const auto got = distribute(runtime, wrong.to(plain.scalar_type()), {Shard{0}});
        const auto found = compare(got, plain, bound);
        EXPECT_FALSE(found.agrees) << dtype << " " << name;
        EXPECT_EQ(found.difference.at, (Shape{row, 7}));
      }
      // They are of the size of rounding: small beside the numbers.
      const double unit = plain.scalar_type() == at::kDouble     ? 0x1p-53
                          : plain.scalar_type() == at::kFloat    ? 0x1p-24
                          : plain.scalar_type() == at::kBFloat16 ? 0x1p-8
                                                                 : 0x1p-11;
      const auto size = plain.to(at::kDouble).square().mean().sqrt().item<double>();
      EXPECT_LT(bound.mean().item<double>(), 256 * unit * size) << dtype << " " << name;
    }
  }
}

TEST(RoundingBounds, OfAnIntegerThatRoundingChangesAreInfinite) {
  const auto done = bounded(scenario(program(R"json(
      {"id": "x", "call": "tensor", "data": [[1, 1, 0], [2, 1, 0]], "placements": ["R"]},
      {"id": "i", "call": "aten.argmax", "args": ["$x", 1]})json")));
  const auto bound = done.bounds.of("i", done.plain.at("i"));
  EXPECT_TRUE(std::isinf(bound[0].item<double>()));
  EXPECT_EQ(bound[1].item<double>(), 0);
}

}  // namespace
}  // namespace shardlens
