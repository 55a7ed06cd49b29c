#include "tests/session/programs.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace shardlens {
namespace {

using Json = nlohmann::ordered_json;

struct Refused {
  const char* step;
  const char* message;
};

TEST(Session, RefusesAStepAndKeepsEarlierResults) {
  const std::string a = R"json({"id": "a", "call": "tensor", "fill": "arange", "shape": [4, 4],
                            "placements": ["S(0)"]},)json";
  const std::vector<Refused> cases = {
      {R"json({"id": "b", "call": "aten.neg", "args": ["$c"]})json",
       "$c: no step before this one has that name"},
      {R"json({"id": "b", "call": "aten.frobnicate", "args": ["$a"]})json",
       "operator aten.frobnicate does not exist"},
      {R"json({"id": "b", "call": "aten.poisson", "args": ["$a"]})json",
       "Operator aten.poisson.default does not have a sharding strategy registered."},
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
      {R"json({"id": "b", "call": "tensor", "data": [1, "2j"], "placements": ["R"]})json",
       "data: got a complex number, expected numbers that float32 holds"},
      {R"json({"id": "b", "call": "tensor", "data": ["1+2"], "dtype": "complex64", "placements": ["R"]})json",
       "data: got \"1+2\", expected a number"},
      {R"json({"id": "b", "call": "tensor", "data": ["1+-2j"], "dtype": "complex64", "placements": ["R"]})json",
       "data: got \"1+-2j\", expected a number"},
      {R"json({"id": "b", "call": "aten._fft_c2c", "args": ["$a", [0], 0, true]})json",
       "aten._fft_c2c: got Float, expected complex64 or complex128"},
      {R"json({"id": "b", "call": "aten._fft_r2c", "args": ["$a", [0, -2], 0, true]})json",
       "aten._fft_r2c: dim: got 0 twice, expected each once"},
      {R"json({"id": "b", "call": "aten.rrelu_with_noise_backward", "args": ["$a", "$a", "$a", -1, 0, false, true]})json",
       "aten.rrelu_with_noise_backward: self_is_result: got true with a slope of -0.5, expected "
       "false where it is below 0"},
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

TEST(Session, RefusesWhatLibtorchStopsAtOrCrashesOf) {
  const auto messageOf = [](const std::string& data, const std::string& call) {
    return answerTo(R"({"id": "x", "call": "tensor", "data": )" + data +
                    R"(, "dtype": "int32", "placements": ["R"]}, {"id": "y", "call": )" + call +
                    "}")["error"]["message"]
        .get<std::string>();
  };
  EXPECT_THAT(
      messageOf(
          "[5]",
          R"("aten._linalg_check_errors", "args": ["$x", ""], "kwargs": {"is_matrix": false})"),
      testing::MatchesRegex("libtorch failed a check of its own code "
                            "\\(BatchLinearAlgebra.cpp:[0-9]+\\): Unknown error code: 5\\."));
  EXPECT_EQ(messageOf("1", R"("aten._chunk_cat", "args": [["$x"], 0, 3])"),
            "aten._chunk_cat: got a tensor without dimensions, expected 1 dimension or more");
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

TEST(Session, RefusesArgumentsThatLibtorchIgnores) {
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
       "aten.index: at least one index must be provided"},
      {R"(_unsafe_masked_index_put_accumulate", "args": ["$x", "$x", [], "$x"]})",
       "indices under a mask: got none, expected at least one"}};
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
