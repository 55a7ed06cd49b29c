// Compares the legacy bags with the plain operator, under all placements of table and ids.

#include "core/legacy/legacy_embedding_bag.h"

#include "tests/legacy/legacy_layouts.h"

#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>

namespace shardlens {
namespace {

// The plain arguments of a call. The layout defines how the table and the ids are sharded.
struct Bag {
  at::Tensor ids;
  std::optional<at::Tensor> offsets;
  std::optional<at::Tensor> weights;
  LegacyBagOptions options;
};

// One thread: libtorch divides even few bags among threads, which then mostly wait.
class LegacyEmbeddingBag : public testing::Test {
 protected:
  void SetUp() override { at::set_num_threads(1); }
  void TearDown() override { at::set_num_threads(before_); }

 private:
  int before_ = at::get_num_threads();
};

// Does the same as torch.nn.functional.embedding_bag.
at::Tensor plainBags(at::Tensor& table, const Bag& bag) {
  const auto& options = bag.options;
  if (options.maxNorm) {
    const at::NoGradGuard none;
    at::embedding_renorm_(table, bag.ids, *options.maxNorm, options.normType);
  }
  const auto offsets =
      bag.offsets.value_or(at::arange(bag.ids.size(0)) * (bag.ids.dim() > 1 ? bag.ids.size(1) : 1));
  const int mode = options.mode == "sum" ? 0 : options.mode == "mean" ? 1 : 2;
  const auto weights = bag.weights ? std::optional(bag.weights->reshape({-1})) : std::nullopt;
  return std::get<0>(at::embedding_bag(table, bag.ids.reshape({-1}), offsets, false, mode, false,
                                       weights, options.includeLastOffset, options.paddingIdx));
}

at::Tensor legacyBags(const LegacyRanks& on, const at::Tensor& weight, const Bag& bag,
                      const std::string& ids) {
  auto options = bag.options;
  if (bag.offsets) options.offsets = distribute(on.ids, *bag.offsets, placed({"R"}));
  if (bag.weights) options.perSampleWeights = distribute(on.ids, *bag.weights, placed({ids}));
  return legacyEmbeddingBag(weight, distribute(on.ids, bag.ids, placed({ids})), options);
}

void compare(const LegacyLayout& layout, const at::Tensor& table, const Bag& bag) {
  SCOPED_TRACE(textOf(layout) + " " + toText(table.sizes().vec()) + bag.options.mode +
               toText(bag.ids.sizes().vec()));
  const LegacyRanks on(layout);
  auto plain = table.clone().requires_grad_();
  const auto weight = distribute(on.table, table, placed({layout.table})).requires_grad_();
  const auto y = legacyBags(on, weight, bag, layout.ids);
  const auto expected = plainBags(plain, bag);
  EXPECT_EQ(placementsOf(y), "(" + layout.ids + ")");
  EXPECT_TRUE(at::allclose(whole(y.detach()), expected)) << whole(y.detach()) << expected;
  EXPECT_TRUE(at::allclose(whole(weight.detach()), plain));
  const auto seed = numbered(expected.sizes(), 5);
  const auto laid = distribute(on.ids, seed, placed({layout.ids}));
  if (bag.options.mode == "max") {
    EXPECT_EQ(refusalOf([&] { y.backward(laid); }),
              "sharded_embedding_bag: got mode 'max', expected 'sum' or 'mean' for a gradient");
    return;
  }
  expected.backward(seed);
  y.backward(laid);
  EXPECT_TRUE(at::allclose(whole(weight.grad()), plain.grad()));
}

LegacyBagOptions of(const std::string& mode, LegacyOptions shared = {}) {
  LegacyBagOptions options;
  static_cast<LegacyOptions&>(options) = shared;
  options.mode = mode;
  return options;
}

// With 7 as padding: empty bags first, in the middle and last, and a bag of padding only.
const std::vector<std::int64_t> kWords = {3, 9, 4, 4, 1, 7, 7, 0, 2};
const std::vector<std::int64_t> kOffsets = {0, 0, 3, 3, 5, 7, 9};

TEST_F(LegacyEmbeddingBag, GivesThePlainResultAndGradientUnderEveryLayout) {
  for (const auto& layout : everyLegacyLayout()) {
    for (const auto& table : {numbered({10, 3}).sub(40), numbered({10, 6}).sub(90)}) {
      for (const auto* mode : {"sum", "mean", "max"}) {
        for (const std::optional<std::int64_t>& padding :
             std::vector<std::optional<std::int64_t>>{{}, 7, -9}) {
          compare(layout, table,
                  {ids(kWords), ids(kOffsets), {}, of(mode, {.paddingIdx = padding})});
          compare(layout, table,
                  {ids(kWords).reshape({3, 3}), {}, {}, of(mode, {.paddingIdx = padding})});
        }
        auto last = of(mode);
        last.includeLastOffset = true;
        compare(layout, table, {ids(kWords), ids({0, 4, 4, 9}), {}, last});
        compare(layout, table,
                {ids(kWords).to(at::kInt), ids(kOffsets).to(at::kInt), {}, of(mode)});
        compare(layout, table, {ids({}), ids({0, 0}), {}, of(mode)});
      }
      const auto weights = numbered({9}, 7).sub(3);
      compare(layout, table, {ids(kWords), ids(kOffsets), weights, of("sum", {.paddingIdx = 4})});
      compare(layout, table, {ids(kWords).reshape({3, 3}), {}, weights.reshape({3, 3}), of("sum")});
    }
    compare(layout, numbered({2, 1}), {ids({1, 0, 1}), ids({0, 2}), {}, of("mean")});
  }
}

TEST_F(LegacyEmbeddingBag, MaxNormScalesTheLookedUpRowsInPlace) {
  for (const auto& layout : everyLegacyLayout()) {
    for (const auto* mode : {"sum", "mean", "max"}) {
      for (const double norm : {2.0, 1.0, 3.0}) {
        const auto options = of(mode, {.paddingIdx = 3, .maxNorm = 50, .normType = norm});
        compare(layout, numbered({10, 3}).sub(30),
                {ids({3, 9, 4, 4, 1}), ids({0, 1, 3}), {}, options});
      }
    }
  }
}

TEST_F(LegacyEmbeddingBag, SendsTheBytesOfItsPath) {
  const auto sent = [](const LegacyLayout& layout, const Bag& bag) {
    const LegacyRanks on(layout);
    const auto weight = distribute(on.table, numbered({8, 4}), placed({layout.table}));
    return collectivesOf(*on.ids, [&] { legacyBags(on, weight, bag, layout.ids); });
  };
  const auto words = ids({0, 7, 2, 5, 1, 1, 3, 6}).reshape({4, 2});
  for (const auto* mode : {"sum", "mean", "max"}) {
    const Bag bag{words, {}, {}, of(mode)};
    EXPECT_EQ(sent({4, {1, 0, 3, 2}, "S(0)", "R"}, bag), "all_reduce");
    EXPECT_EQ(sent({4, {}, "S(0)", "S(0)"}, bag), "all_gather reduce_scatter");
    EXPECT_EQ(sent({4, {}, "S(1)", "R"}, bag), "all_to_all");
    EXPECT_EQ(sent({4, {1, 0, 3, 2}, "S(1)", "S(0)"}, bag), "all_gather all_to_all");
  }
}

TEST_F(LegacyEmbeddingBag, RefusesInTheWordsOfItsTime) {
  const LegacyRanks on({2, {}, "S(0)", "R"});
  const auto refused = [&](const Bag& bag) {
    const auto weight = distribute(on.table, numbered({8, 4}), placed({"S(0)"}));
    return refusalOf([&] { legacyBags(on, weight, bag, "R"); });
  };
  const auto words = ids({0, 7, 2, 5});
  const auto square = words.reshape({2, 2});
  EXPECT_EQ(refused({square, {}, {}, of("mean")}), "nothing was refused");
  EXPECT_EQ(refused({words.reshape({2, 1, 2}), {}, {}, of("sum")}),
            "Input more than 2 dims not supported");
  EXPECT_EQ(refused({square, ids({0}), {}, of("sum")}),
            "Input dimension needs to be exactly 1 dim");
  EXPECT_EQ(refused({words, {}, {}, of("sum")}), "offsets is required for 1D input");
  EXPECT_EQ(refused({words, ids({0}), numbered({3}), of("sum")}),
            "per_sample_weights size [3] not equal to input size [4]");
  EXPECT_EQ(refused({words, ids({0}), numbered({4}), of("mean")}),
            "per_sample_weights is only supported for mode='sum' (got mode='mean')");
  EXPECT_EQ(refused({words, ids({0}), {}, of("min")}), "mode 'min' is not supported");
  auto last = of("sum");
  last.includeLastOffset = true;
  EXPECT_EQ(refused({square, {}, {}, last}),
            "offsets is required for flag \"include_last_offset\"!");
  EXPECT_EQ(refused({words, ids({0, 3}), {}, last}),
            "offsets need to have the input size in the end when the flag \"include_last_offset\" "
            "is on!");
  EXPECT_EQ(refused({words, numbered({2}), {}, of("sum")}),
            "offsets: got float32, expected int64 or int32");
  EXPECT_EQ(refused({words, ids({1, 3}), {}, of("sum")}), "offsets[0] has to be 0, got 1");
  EXPECT_EQ(refused({words, ids({0, 3, 2}), {}, of("sum")}),
            "offsets: expected ascending ones up to 4");
  EXPECT_EQ(refused({words, ids({0, 5}), {}, of("sum")}),
            "offsets: expected ascending ones up to 4");
  EXPECT_EQ(refused({square, {}, {}, of("sum", {.sparse = true})}),
            "nn.Embedding weight sharded with flag on \"sparse\" not supported!");
  EXPECT_EQ(refused({ids({0, 8}), ids({0}), {}, of("sum")}),
            "Index out of range in Input: index 8 at position [1] of the ids is out of range, "
            "expected 0 to 7");
}

}  // namespace
}  // namespace shardlens
