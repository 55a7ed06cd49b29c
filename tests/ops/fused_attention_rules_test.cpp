// The rules of attention by one kernel of a GPU. The placements are DTensor's.

#include "tests/ops/written_call.h"

#include <gtest/gtest.h>

namespace shardlens {
namespace {

const Shape kQueryShape{2, 4, 6, 8};
const Arg kQuery{"query", TensorIndex{0}}, kKey{"key", TensorIndex{1}},
    kValue{"value", TensorIndex{2}};

std::string flash(const std::string& query, const std::string& keys, int keyHeads = 4) {
  const Shape shape{2, keyHeads, 6, 8};
  return chosen({"aten._scaled_dot_product_flash_attention",
                 {{kQueryShape, query}, {shape, keys}, {shape, keys}},
                 kQueryShape,
                 {kQuery, kKey, kValue},
                 {},
                 {kQueryShape}});
}

TEST(FusedAttentionRule, HeadsAndMembersAttendApart) {
  EXPECT_EQ(flash("S(1)", "S(1)"), "heads: (S(1)) (S(1)) (S(1)) -> (S(1)) (S(1))");
  EXPECT_EQ(flash("S(0)", "S(0)"), "batch: (S(0)) (S(0)) (S(0)) -> (S(0)) (S(0))");
  EXPECT_EQ(flash("S(0) S(1)", "S(0) S(1)"),
            "batch x heads: (S(0), S(1)) (S(0), S(1)) (S(0), S(1)) -> (S(0), S(1)) (S(0), S(1))");
  EXPECT_EQ(flash("R", "R"), "replicate: (R) (R) (R) -> (R) (R)");
  EXPECT_EQ(flash("S(1)", "S(1)", 2), "heads: (S(1)) (S(1)) (S(1)) -> (S(1)) (S(1))");
  EXPECT_EQ(flash("S(1)", "R", 1).find("heads"), std::string::npos);
}

TEST(FusedAttentionRule, SequencesAreNotDivided) {
  for (const auto* text : {"S(2)", "S(3)", "P(sum)"}) {
    EXPECT_EQ(flash(text, text).find("S(2)"), std::string::npos) << text;
    EXPECT_EQ(flash(text, text).find("S(3)"), std::string::npos) << text;
    EXPECT_EQ(flash(text, text).find("P("), std::string::npos) << text;
  }
}

TEST(FusedAttentionRule, ABiasFollowsWhereItIsNotStretched) {
  const auto masked = [](const Shape& bias) {
    return chosen(
        {"aten._scaled_dot_product_cudnn_attention",
         {{kQueryShape, "S(1)"}, {kQueryShape, "S(1)"}, {kQueryShape, "S(1)"}, {bias, "R"}},
         kQueryShape,
         {kQuery, kKey, kValue, {"attn_bias", TensorIndex{3}}},
         {},
         {kQueryShape}});
  };
  const std::string heads = "heads: (S(1)) (S(1)) (S(1)) ";
  EXPECT_EQ(masked({2, 4, 6, 6}), heads + "(S(1)) -> (S(1)) (S(1))");
  EXPECT_EQ(masked({2, 1, 6, 6}), heads + "(R) -> (S(1)) (S(1))");
  EXPECT_EQ(masked({6, 6}), heads + "(R) -> (S(1)) (S(1))");
}

TEST(FusedAttentionRule, SeedsAreReplicatedInTheBackwardPass) {
  const auto backward = [](const std::string& placement) {
    return chosen({"aten._scaled_dot_product_efficient_attention_backward",
                   {{kQueryShape, placement},
                    {kQueryShape, placement},
                    {kQueryShape, placement},
                    {kQueryShape, placement},
                    {{2, 4, 6, 6}, placement},
                    {kQueryShape, placement},
                    {{2, 4, 32}, placement},
                    {{}, "R", DType::Int64},
                    {{}, "R", DType::Int64}},
                   kQueryShape,
                   {{"grad_out_", TensorIndex{0}},
                    {"query", TensorIndex{1}},
                    {"key", TensorIndex{2}},
                    {"value", TensorIndex{3}},
                    {"attn_bias", TensorIndex{4}},
                    {"out", TensorIndex{5}},
                    {"logsumexp", TensorIndex{6}},
                    {"philox_seed", TensorIndex{7}},
                    {"philox_offset", TensorIndex{8}}},
                   {},
                   {kQueryShape, kQueryShape, kQueryShape}});
  };
  EXPECT_EQ(backward("S(1)"),
            "heads: (S(1)) (S(1)) (S(1)) (S(1)) (S(1)) (S(1)) (S(1)) (R) (R) -> (S(1)) (S(1)) "
            "(S(1)) (S(1))");
  EXPECT_EQ(backward("S(0)"),
            "batch: (S(0)) (S(0)) (S(0)) (S(0)) (S(0)) (S(0)) (S(0)) (R) (R) -> (S(0)) (S(0)) "
            "(S(0)) (S(0))");
}

// As the kernels return them: see torch's meta functions.
TEST(FusedAttentionRule, OutputsHaveTheKernelsShapesAndStrides) {
  const auto outputsOf = [](const char* name, const std::vector<Arg>& args) {
    std::vector<Arg> all{kQuery, kKey, kValue};
    all.insert(all.end(), args.begin(), args.end());
    const Shape values{2, 4, 6, 5};
    const auto call =
        schemaOf({name, {{kQueryShape, "R"}, {kQueryShape, "R"}, {values, "R"}}, kQueryShape, all});
    return findRule(name).rule->outputs(call);
  };
  const auto f32 = DType::Float32;
  const TensorMeta inOrder{{2, 4, 6, 5}, {120, 30, 5, 1}, f32};
  const TensorMeta together{{2, 4, 6, 5}, {120, 5, 20, 1}, f32};
  using Metas = std::vector<TensorMeta>;
  EXPECT_EQ(outputsOf("aten._scaled_dot_product_flash_attention", {}),
            (Metas{inOrder, {{2, 4, 6}, {24, 6, 1}, f32}}));
  const auto computes = [](bool sums) { return Arg{"compute_log_sumexp", sums}; };
  const auto* const cudnn = "aten._scaled_dot_product_cudnn_attention";
  EXPECT_EQ(outputsOf(cudnn, {computes(true)}),
            (Metas{inOrder, {{2, 4, 6, 1}, {24, 6, 1, 1}, f32}}));
  EXPECT_EQ(outputsOf(cudnn, {computes(false)}), Metas{inOrder});
  const auto* const efficient = "aten._scaled_dot_product_efficient_attention";
  EXPECT_EQ(outputsOf(efficient, {computes(true)}),
            (Metas{together, {{2, 4, 32}, {128, 32, 1}, f32}}));
  EXPECT_EQ(outputsOf(efficient, {computes(false)}).back().shape, (Shape{2, 4, 0}));
}

}  // namespace
}  // namespace shardlens
