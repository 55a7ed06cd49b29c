#include "tests/model/written.h"
#include "tests/ops/written_call.h"

#include <gtest/gtest.h>

namespace shardlens {
namespace {

const Arg kShape{"normalized_shape", std::vector<std::int64_t>{8}};

// Returns the strategy of a call with this number of outputs.
std::string chosenOf(const WrittenCall& written, std::size_t outputs) {
  auto call = schemaOf(written);
  call.outputs.resize(outputs, call.outputs.front());
  const auto chosen = propagate(call, findRule(written.name), {})->chosen;
  std::string text = chosen.name + ":";
  for (const auto& input : chosen.inputs) text += " " + toText(input);
  text += " ->";
  for (const auto& output : chosen.outputs) text += " " + toText(output);
  return text;
}

std::string layerNorm(const std::string& x) {
  return chosenOf(
      {"aten.native_layer_norm", {{{4, 6, 8}, x}, {{8}, "R"}}, {4, 6, 8}, {kShape}, {2}}, 3);
}

TEST(LayerNormRule, RowsAreIndependent) {
  EXPECT_EQ(layerNorm("S(0)"), "sharded: (S(0)) (R) -> (S(0)) (S(0)) (S(0))");
  EXPECT_EQ(layerNorm("S(1)"), "sharded: (S(1)) (R) -> (S(1)) (S(1)) (S(1))");
}

TEST(LayerNormRule, NormalizedDimensionsAreReplicated) {
  EXPECT_EQ(layerNorm("S(2)"), "replicate: (R) (R) -> (R) (R) (R)");
  EXPECT_EQ(layerNorm("P(sum)"), "replicate: (R) (R) -> (R) (R) (R)");
}

TEST(LayerNormRule, HalvesHaveStatisticsOfTheParametersDType) {
  const auto half = DType::BFloat16;
  const auto call = schemaOf(
      {"aten.native_layer_norm", {{{4, 6, 8}, "R", half}, {{8}, "R"}, {{8}, "R"}}, {}, {kShape}});
  const auto outputs = findRule("aten.native_layer_norm").rule->outputs(call);
  const TensorMeta statistics{{4, 6, 1}, {6, 1, 1}, DType::Float32};
  EXPECT_EQ(outputs,
            (std::vector<TensorMeta>{{{4, 6, 8}, {48, 8, 1}, half}, statistics, statistics}));
}

TEST(LayerNormBackwardRule, GradientsOfTheParametersArePartials) {
  const auto backward = [](std::vector<std::int64_t> outputMask, std::size_t outputs) {
    return chosenOf(
        {"aten.native_layer_norm_backward",
         {{{4, 8}, "S(0)"}, {{4, 8}, "S(0)"}, {{4, 1}, "S(0)"}, {{4, 1}, "S(0)"}, {{8}, "R"}},
         {4, 8},
         {kShape, {"output_mask", std::move(outputMask)}}},
        outputs);
  };
  const std::string inputs = "sharded: (S(0)) (S(0)) (S(0)) (S(0)) (R) -> ";
  EXPECT_EQ(backward({1, 1, 1}, 3), inputs + "(S(0)) (P(sum)) (P(sum))");
  EXPECT_EQ(backward({0, 1, 0}, 1), inputs + "(P(sum))");
  EXPECT_EQ(backward({1, 0, 0}, 1), inputs + "(S(0))");
}

std::string attention(const std::string& query, const std::string& keys, int heads = 4) {
  const Shape shape{2, heads, 6, 8};
  return chosenOf({"aten._scaled_dot_product_flash_attention_for_cpu",
                   {{{2, 4, 6, 8}, query}, {shape, keys}, {shape, keys}},
                   {2, 4, 6, 8},
                   {{"attn_mask", std::monostate{}}}},
                  2);
}

TEST(AttentionRule, HeadsAndSequencesAreIndependent) {
  EXPECT_EQ(attention("S(1)", "S(1)"), "heads: (S(1)) (S(1)) (S(1)) -> (S(1)) (S(1))");
  EXPECT_EQ(attention("S(0)", "S(0)"), "batch: (S(0)) (S(0)) (S(0)) -> (S(0)) (S(0))");
  EXPECT_EQ(attention("S(0) S(1)", "S(0) S(1)"),
            "batch x heads: (S(0), S(1)) (S(0), S(1)) (S(0), S(1)) -> (S(0), S(1)) (S(0), S(1))");
  EXPECT_EQ(attention("S(1)", "R"), "heads: (S(1)) (S(1)) (S(1)) -> (S(1)) (S(1))");
}

TEST(AttentionRule, GroupsOfHeadsThatShareKeysAreNotSharded) {
  EXPECT_EQ(attention("S(1)", "S(1)", 2), "heads: (S(1)) (S(1)) (S(1)) -> (S(1)) (S(1))");
  EXPECT_EQ(attention("R", "R", 1), "replicate: (R) (R) (R) -> (R) (R)");
  EXPECT_EQ(attention("S(1)", "R", 1).find("heads"), std::string::npos);
  EXPECT_EQ(attention("S(0)", "S(0)", 1), "batch: (S(0)) (S(0)) (S(0)) -> (S(0)) (S(0))");
}

TEST(AttentionRule, QueriesAreIndependent) {
  EXPECT_EQ(attention("S(2)", "R"), "queries: (S(2)) (R) (R) -> (S(2)) (S(2))");
  EXPECT_EQ(attention("S(2)", "S(2)"), "queries: (S(2)) (R) (R) -> (S(2)) (S(2))");
  EXPECT_EQ(attention("S(1) S(2)", "S(1) R"),
            "heads x queries: (S(1), S(2)) (S(1), R) (S(1), R) -> (S(1), S(2)) (S(1), S(2))");
}

TEST(AttentionRule, SoftmaxesOfShardedKeysAreCombined) {
  EXPECT_EQ(attention("R", "S(2)"), "keys: (R) (S(2)) (S(2)) -> (P(sum)) (R)");
  EXPECT_EQ(attention("S(2) R", "R S(2)"),
            "queries x keys: (S(2), R) (R, S(2)) (R, S(2)) -> (S(2), P(sum)) (S(2), R)");
}

TEST(AttentionRule, GradientsOfSharedInputsArePartial) {
  const auto backward = [](const std::string& query, const std::string& keys) {
    const Shape shape{2, 4, 6, 8};
    return chosenOf({"aten._scaled_dot_product_flash_attention_for_cpu_backward",
                     {{shape, query},
                      {shape, query},
                      {shape, keys},
                      {shape, keys},
                      {shape, query},
                      {{2, 4, 6}, query}},
                     shape,
                     {{"attn_mask", std::monostate{}}}},
                    3);
  };
  EXPECT_EQ(backward("S(2)", "R"),
            "queries: (S(2)) (S(2)) (R) (R) (S(2)) (S(2)) -> (S(2)) (P(sum)) (P(sum))");
  EXPECT_EQ(backward("R", "S(2)"), "keys: (R) (R) (S(2)) (S(2)) (R) (R) -> (P(sum)) (S(2)) (S(2))");
  EXPECT_EQ(backward("S(1)", "S(1)"),
            "heads: (S(1)) (S(1)) (S(1)) (S(1)) (S(1)) (S(1)) -> (S(1)) (S(1)) (S(1))");
}

// libtorch's kernels divide by the number of local heads.
TEST(AttentionRule, NoRankIsLeftWithoutHeads) {
  const auto over3 = [](int heads) {
    const Shape shape{2, heads, 6, 8};
    return chosenOf({"aten._scaled_dot_product_flash_attention_for_cpu",
                     {{shape, "S(1)"}, {shape, "S(1)"}, {shape, "S(1)"}},
                     shape,
                     {{"attn_mask", std::monostate{}}},
                     {3}},
                    2);
  };
  EXPECT_EQ(over3(4), "replicate: (R) (R) (R) -> (R) (R)");  // 2, 2, 0
  EXPECT_EQ(over3(5), "heads: (S(1)) (S(1)) (S(1)) -> (S(1)) (S(1))");
  // Seven over 2 ranks are 4 and 3. Of these, 4 over 3 ranks are 2, 2, 0, although 3 are 1, 1, 1.
  const Shape seven{1, 7, 6, 8};
  EXPECT_NE(chosenOf({"aten._scaled_dot_product_flash_attention_for_cpu",
                      {{seven, "S(1) S(1)"}, {seven, "S(1) S(1)"}, {seven, "S(1) S(1)"}},
                      seven,
                      {{"attn_mask", std::monostate{}}},
                      {2, 3}},
                     2)
                .substr(0, 7),
            "heads: ");
}

TEST(AttentionRule, AMaskFollowsWhereItIsNotStretched) {
  const auto masked = [](const Shape& mask) {
    const Shape shape{2, 4, 6, 8};
    return chosenOf({"aten._scaled_dot_product_flash_attention_for_cpu",
                     {{shape, "S(1)"}, {shape, "S(1)"}, {shape, "S(1)"}, {mask, "R"}},
                     shape,
                     {{"attn_mask", TensorIndex{3}}}},
                    2);
  };
  const std::string heads = "heads: (S(1)) (S(1)) (S(1)) ";
  EXPECT_EQ(masked({2, 4, 6, 6}), heads + "(S(1)) -> (S(1)) (S(1))");
  EXPECT_EQ(masked({2, 1, 6, 6}), heads + "(R) -> (S(1)) (S(1))");
  EXPECT_EQ(masked({6, 6}), heads + "(R) -> (S(1)) (S(1))");
}

TEST(AttentionRule, AMaskIsShardedAlongQueriesOrKeys) {
  const auto masked = [](const std::string& query, const std::string& keys, const Shape& mask) {
    const Shape shape{2, 4, 6, 8};
    return chosenOf({"aten._scaled_dot_product_flash_attention_for_cpu",
                     {{shape, query}, {shape, keys}, {shape, keys}, {mask, "R"}},
                     shape,
                     {{"attn_mask", TensorIndex{3}}}},
                    2);
  };
  EXPECT_EQ(masked("S(2)", "R", {6, 6}), "queries: (S(2)) (R) (R) (S(0)) -> (S(2)) (S(2))");
  EXPECT_EQ(masked("S(2)", "R", {2, 1, 1, 6}), "queries: (S(2)) (R) (R) (R) -> (S(2)) (S(2))");
  EXPECT_EQ(masked("R", "S(2)", {2, 1, 6, 6}), "keys: (R) (S(2)) (S(2)) (S(3)) -> (P(sum)) (R)");
}

}  // namespace
}  // namespace shardlens
