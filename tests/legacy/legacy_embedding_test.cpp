// Compares the legacy lookup with the plain operator, under all placements of table and ids.

#include "core/legacy/legacy_embedding.h"

#include "tests/legacy/legacy_layouts.h"

#include <ATen/core/grad_mode.h>

#include <limits>

namespace shardlens {
namespace {

// Does the same as torch.nn.functional.embedding.
at::Tensor plainLookup(at::Tensor& weight, const at::Tensor& ids, const LegacyOptions& options) {
  if (options.maxNorm) {
    const at::NoGradGuard none;
    at::embedding_renorm_(weight, ids, *options.maxNorm, options.normType);
  }
  const auto padding = options.paddingIdx.value_or(-1);
  return at::embedding(
      weight, ids,
      padding < -1 || (options.paddingIdx && padding < 0) ? padding + weight.size(0) : padding);
}

void compare(const LegacyLayout& layout, const at::Tensor& table, const at::Tensor& words,
             const LegacyOptions& options) {
  SCOPED_TRACE(textOf(layout) + " " + toText(table.sizes().vec()) + toText(words.sizes().vec()));
  const LegacyRanks on(layout);
  auto plain = table.clone().requires_grad_();
  const auto weight = distribute(on.table, table, placed({layout.table})).requires_grad_();
  const auto y = legacyEmbedding(weight, distribute(on.ids, words, placed({layout.ids})), options);
  const auto expected = plainLookup(plain, words, options);
  EXPECT_EQ(placementsOf(y), "(" + layout.ids + ")");
  EXPECT_TRUE(at::allclose(whole(y.detach()), expected));
  EXPECT_TRUE(at::allclose(whole(weight.detach()), plain));
  const auto seed = numbered(expected.sizes(), 5).to(expected.dtype());
  expected.backward(seed);
  y.backward(distribute(on.ids, seed, placed({layout.ids})));
  EXPECT_EQ(placementsOf(weight.grad()), "(" + layout.table + ")");
  EXPECT_TRUE(at::equal(whole(weight.grad()), plain.grad()));
}

at::Tensor wordsOf(const std::vector<std::int64_t>& shape, std::int64_t below) {
  std::int64_t count = 1;
  for (const auto size : shape) count *= size;
  return at::arange(count).mul(5).add(1).remainder(below).reshape(shape);
}

TEST(LegacyEmbedding, GivesThePlainResultAndGradientUnderEveryLayout) {
  for (const auto& layout : everyLegacyLayout()) {
    for (const auto& table : {numbered({10, 3}), numbered({5, 9}), numbered({2, 1})}) {
      for (const auto& shape : std::vector<std::vector<std::int64_t>>{
               {6}, {3, 2}, {5, 1, 2}, {2, 2, 1, 2}, {1, 2, 1, 2, 2}, {0}, {2, 0}}) {
        const auto words = wordsOf(shape, table.size(0));
        compare(layout, table, words, {});
        compare(layout, table, words.to(at::kInt), {.paddingIdx = 1});
        compare(layout, table, words, {.paddingIdx = -1});
      }
    }
    if (layout.ids == "R") compare(layout, numbered({10, 3}), at::scalar_tensor(4, at::kLong), {});
  }
}

TEST(LegacyEmbedding, MaxNormScalesTheLookedUpRowsInPlace) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const auto& layout : everyLegacyLayout()) {
    for (const double norm : {2.0, 1.0, 3.0, 0.5, kInfinity}) {
      for (const double most : {1.0, 90.0, 1e6}) {
        const LegacyOptions options{.paddingIdx = 3, .maxNorm = most, .normType = norm};
        compare(layout, numbered({10, 3}), ids({3, 9, 4, 4, 1}), options);
        compare(layout, numbered({10, 3}).to(at::kDouble), ids({3, 9, 4, 4, 1}), options);
        compare(layout, numbered({3, 2}), ids({2, 2}).reshape({2, 1}), {.maxNorm = most});
      }
    }
  }
}

TEST(LegacyEmbedding, SendsTheBytesOfItsPath) {
  const auto sent = [](const LegacyLayout& layout, const LegacyOptions& options) {
    const LegacyRanks on(layout);
    const auto weight = distribute(on.table, numbered({8, 4}), placed({layout.table}));
    const auto words = distribute(on.ids, ids({0, 7, 2, 5}), placed({layout.ids}));
    return collectivesOf(*on.ids, [&] { legacyEmbedding(weight, words, options); });
  };
  for (const std::vector<int>& order : {std::vector<int>{}, {3, 1, 0, 2}}) {
    EXPECT_EQ(sent({4, order, "S(0)", "R"}, {}), "all_reduce");
    EXPECT_EQ(sent({4, order, "S(0)", "S(0)"}, {}), "all_gather reduce_scatter");
    EXPECT_EQ(sent({4, order, "S(1)", "R"}, {}), "all_to_all");
    EXPECT_EQ(sent({4, order, "S(1)", "S(0)"}, {}), "all_gather all_to_all");
    EXPECT_EQ(sent({4, order, "S(0)", "S(0)"}, {.maxNorm = 1}), "all_gather reduce_scatter");
    EXPECT_EQ(sent({4, order, "S(1)", "R"}, {.maxNorm = 1}), "all_reduce all_to_all");
    EXPECT_EQ(sent({4, order, "S(1)", "S(0)"}, {.maxNorm = 1}), "all_gather all_reduce all_to_all");
  }
  EXPECT_EQ(sent({1, {}, "S(0)", "S(0)"}, {}), "");
}

// The order of the table's ranks does not affect the result, which has the ranks of the ids.
TEST(LegacyEmbedding, PutsColumnsBackInOrder) {
  const LegacyRanks on({3, {2, 0, 1}, "S(1)", "S(0)"});
  const auto weight =
      distribute(on.table, at::arange(12, at::kFloat).reshape({4, 3}), placed({"S(1)"}));
  const auto& locals = dtensorImpl(weight).locals();
  EXPECT_EQ(locals[0][0][0].item<float>(), 1);
  const auto y = legacyEmbedding(weight, distribute(on.ids, ids({3, 0, 1}), placed({"S(0)"})), {});
  EXPECT_TRUE(at::equal(dtensorImpl(y).locals()[0], at::arange(9, 12, at::kFloat).reshape({1, 3})));
}

std::string refused(const std::string& cut, const at::Tensor& table,
                    const LegacyOptions& options = {},
                    const std::vector<std::int64_t>& words = {0, 1}) {
  const auto runtime = ranks({2});
  return refusalOf([&] {
    legacyEmbedding(distribute(runtime, table, placed({cut})),
                    distribute(runtime, ids(words), placed({"R"})), options);
  });
}

TEST(LegacyEmbedding, RefusesInTheWordsOfItsTime) {
  const auto table = numbered({4, 2});
  EXPECT_EQ(refused("S(0)", table), "nothing was refused");
  EXPECT_EQ(refused("S(0)", table, {.scaleGradByFreq = true}),
            "nn.Embedding weight sharded with flag on \"scale_grad_by_freq\" not supported!");
  EXPECT_EQ(refused("S(0)", table, {.sparse = true}),
            "nn.Embedding weight sharded with flag on \"sparse\" not supported!");
  for (const double most : {0.0, -1.0}) {
    EXPECT_EQ(refused("S(0)", table, {.maxNorm = most}), "\"max_norm\" must be larger than zero!");
  }
  EXPECT_EQ(refused("S(0)", table, {.paddingIdx = 4}),
            "Padding_idx must be within num_embeddings, got 4, expected -4 to 3");
  EXPECT_EQ(refused("S(0)", table, {}, {0, 4}),
            "Index out of range in Input: index 4 at position [1] of the ids is out of range, "
            "expected 0 to 3");
  EXPECT_EQ(refused("S(1)", table, {}, {-1}),
            "Index out of range in Input: index -1 at position [0] of the ids is out of range, "
            "expected 0 to 3");
  EXPECT_EQ(refused("S(0)", numbered({4, 2, 2})), "Weight needs to have exactly 2 dims, got 3");
  EXPECT_EQ(refused("S(2)", numbered({4, 2, 2})),
            "nn.Embedding weight sharded on dim 2 not supported!");
  EXPECT_EQ(refused("R", table),
            "Only ChunkShardingSpec supported for ShardedTensor ops!, got "
            "(R), expected S(0) or S(1)");
  EXPECT_EQ(refused("SS(0, 2)", table),
            "Only one local shard supported!, got (SS(0, 2)), expected S(0) or S(1)");
}

TEST(LegacyEmbedding, RefusesANonTableAndRanksWithoutOne) {
  const auto runtime = ranks({2});
  const auto table = numbered({4, 2});
  const auto weight = distribute(runtime, table, placed({"S(0)"}));
  const auto words = distribute(runtime, ids({0, 1}), placed({"R"}));
  EXPECT_EQ(refusalOf([&] { legacyEmbedding(weight, ids({0}), {}); }),
            "input need to be torch.Tensor");
  EXPECT_EQ(refusalOf([&] { legacyEmbedding(table, words, {}); }),
            "weight needs to be ShardedTensor");
  const auto one = runtime->over(*DeviceMesh::make({1}, {}, {1}));
  EXPECT_EQ(
      refusalOf([&] { legacyEmbedding(distribute(one, table, placed({"S(0)"})), words, {}); }),
      "Only one local shard supported! Some ranks of the input have none");
  EXPECT_EQ(
      refusalOf([&] { legacyEmbedding(weight, distribute(one, ids({0}), placed({"R"})), {}); }),
      "Cross device mesh comm not supported yet!");
  EXPECT_EQ(refusalOf([&] {
              legacyEmbedding(
                  weight, distribute(runtime, ids({0, 1}).reshape({1, 2}), placed({"S(1)"})), {});
            }),
            "input: got (S(1)), expected R or S(0)");
}

// A refusal leaves the table unchanged and sends nothing.
TEST(LegacyEmbedding, RefusesBeforeAnythingIsSent) {
  const auto runtime = ranks({2});
  const auto weight = distribute(runtime, numbered({4, 2}), placed({"S(1)"}));
  const auto words = distribute(runtime, ids({0, 4}), placed({"S(0)"}));
  EXPECT_EQ(
      collectivesOf(*runtime,
                    [&] { EXPECT_THROW(legacyEmbedding(weight, words, {.maxNorm = 1}), Refusal); }),
      "");
  EXPECT_TRUE(at::equal(whole(weight), numbered({4, 2})));
}

}  // namespace
}  // namespace shardlens
