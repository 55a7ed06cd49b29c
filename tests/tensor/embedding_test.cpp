// Compares embeddings with plain ones, under all placements of table and ids on small meshes.

#include "tests/tensor/collectives.h"
#include "tests/tensor/ranks.h"

#include <ATen/Parallel.h>

namespace shardlens {
namespace {

std::vector<Placements> layouts(const std::vector<std::string>& choices, std::size_t dims) {
  std::vector<Placements> all{{}};
  for (std::size_t dim = 0; dim < dims; ++dim) {
    std::vector<Placements> longer;
    for (const auto& start : all) {
      for (const auto& choice : choices) {
        longer.push_back(start);
        longer.back().push_back(*parsePlacement(choice));
      }
    }
    all = std::move(longer);
  }
  return all;
}

// A communicator that fails the test if device() is called for a rank that it does not host.
class Strict final : public Forwarding {
 public:
  using Forwarding::Forwarding;
  at::Device device(int rank) const override {
    EXPECT_TRUE(std::binary_search(hosted().begin(), hosted().end(), rank)) << rank;
    return Forwarding::device(rank);
  }
  std::unique_ptr<Communicator> over(const std::vector<int>& ranks) const override {
    return std::make_unique<Strict>(Forwarding::over(ranks));
  }
};

void compareAll(const std::vector<int>& mesh, Masking masking, at::IntArrayRef tableShape,
                const at::Tensor& words) {
  const auto table = numbered(tableShape);
  for (const auto& weightPlacements : layouts({"R", "S(0)", "S(1)"}, mesh.size())) {
    for (const auto& idPlacements : layouts({"R", "S(0)"}, mesh.size())) {
      SCOPED_TRACE(toText(weightPlacements) + " " + toText(idPlacements));
      const auto runtime = ranks(mesh, masking);
      const auto plain = table.clone().requires_grad_();
      const auto weight = distribute(runtime, table, weightPlacements).requires_grad_();
      const auto y = at::embedding(weight, distribute(runtime, words, idPlacements), /*padding=*/1);
      const auto expected = at::embedding(plain, words, /*padding=*/1);
      EXPECT_TRUE(at::equal(whole(y.detach()), expected));
      y.sum().backward();
      expected.sum().backward();
      EXPECT_TRUE(at::equal(whole(weight.grad()), plain.grad()));
    }
  }
}

TEST(Embedding, UsesHostedRanksOnly) {
  const auto all = makeRuntime(
      *DeviceMesh::make({3}), std::make_unique<Strict>(std::make_unique<SimulatedCommunicator>(3)));
  const auto some = all->over(*DeviceMesh::make({2}, {}, {1, 2}));
  const auto table = distribute(some, numbered({10, 3}), {Shard{0}});
  const auto found = at::embedding(table, distribute(some, ids({0, 9, 4}), {Replicate{}}));
  EXPECT_TRUE(at::equal(whole(found), at::embedding(numbered({10, 3}), ids({0, 9, 4}))));
}

TEST(Embedding, EveryLayoutGivesThePlainResultAndGradient) {
  for (const auto masking : {Masking::Fused, Masking::Stepwise}) {
    compareAll({4}, masking, {10, 3}, ids({0, 9, 4, 4, 1, 7}));
    compareAll({2, 2}, masking, {9, 4}, ids({0, 8, 4, 4, 1}));
    compareAll({2, 3}, masking, {7, 5}, ids({6, 0, 1, 3, 2, 5}).reshape({2, 3}));
  }
}

TEST(Embedding, RanksWithoutRowsAndLookupsWithoutIdsAreNoSpecialCase) {
  for (const auto masking : {Masking::Fused, Masking::Stepwise}) {
    compareAll({4}, masking, {5, 3}, ids({0, 4, 2}));
    compareAll({4}, masking, {2, 3}, ids({0, 1, 1}));
    compareAll({3}, masking, {4, 2}, ids({}));
  }
}

TEST(Embedding, TakesInt32IdsAndIdsOfAnyNumberOfDimensions) {
  const auto runtime = ranks({3});
  const auto table = distribute(runtime, numbered({7, 2}), placed({"S(0)"}));
  const auto words = at::arange(16).remainder(7);
  for (const auto& shape : std::vector<std::vector<std::int64_t>>{
           {}, {16}, {4, 4}, {2, 4, 2}, {2, 2, 2, 2}, {2, 2, 2, 2, 1}}) {
    const auto shaped = shape.empty() ? words[5] : words.reshape(shape);
    const auto narrow = shaped.to(at::kInt);
    const auto expected = at::embedding(numbered({7, 2}), shaped);
    EXPECT_TRUE(at::equal(whole(at::embedding(table, distribute(runtime, shaped, placed({"R"})))),
                          expected));
    EXPECT_TRUE(at::equal(whole(at::embedding(table, distribute(runtime, narrow, placed({"R"})))),
                          expected));
  }
}

// Rounded sums are added in the same order as in the plain operator.
TEST(Embedding, GradientsAreThePlainOnesToTheBit) {
  const auto words = at::arange(600).mul(37).remainder(11).reshape({20, 30});
  for (const auto type : {at::kHalf, at::kBFloat16, at::kFloat, at::kDouble}) {
    const auto upstream = at::arange(600 * 7).mul(0.37).sin().to(type).reshape({20, 30, 7});
    const auto expected = at::embedding_dense_backward(upstream, words, 11, 4, false);
    const auto runtime = ranks({3});
    // Replicates by an all_gather, so that the replicas share memory.
    const auto replicated = [&](const at::Tensor& of) {
      return redistribute(distribute(runtime, of, placed({"S(0)"})), placed({"R"}));
    };
    const auto gradient = at::embedding_dense_backward(
        replicated(upstream), replicated(words.to(at::kInt)), 11, 4, false);
    EXPECT_TRUE(at::equal(whole(gradient), expected)) << c10::toString(type);
    auto mine = dtensorImpl(gradient).locals()[1];
    mine.zero_();
    EXPECT_TRUE(at::equal(dtensorImpl(gradient).locals()[0], expected));
  }
}

// Several threads divide the rows among themselves, and keep the order of the ids.
TEST(Embedding, OfManyRowsIsThePlainOneOnEveryNumberOfThreads) {
  const auto plain = at::arange(20000 * 64).mul(0.37).sin().reshape({20000, 64});
  const auto words = at::arange(9000).mul(37).remainder(19997).mul(11).remainder(20000);
  const auto upstream = at::arange(9000 * 64).mul(0.71).sin().reshape({9000, 64});
  const auto expected = at::embedding_dense_backward(upstream, words, 20000, 7, false);
  const int before = at::get_num_threads();
  for (const int threads : {1, 2, 3}) {
    at::set_num_threads(threads);
    const auto runtime = ranks({3});
    const auto table = distribute(runtime, plain, placed({"S(0)"})).requires_grad_();
    const auto y = at::embedding(table, distribute(runtime, words, placed({"R"})), 7);
    const auto reduced = redistribute(y, placed({"R"}));
    EXPECT_TRUE(at::equal(whole(reduced.detach()), at::embedding(plain, words)));
    reduced.backward(distribute(runtime, upstream, placed({"R"})));
    EXPECT_EQ(placementsOf(table.grad()), "(S(0))");
    EXPECT_TRUE(at::equal(whole(table.grad()), expected)) << threads << " threads";
  }
  at::set_num_threads(before);
}

TEST(Embedding, GradientsScaledByFrequencyCountAllRanksIds) {
  const auto words = ids({1, 1, 3, 1});
  const auto plain = numbered({4, 2}).requires_grad_();
  at::embedding(plain, words, -1, /*scale_grad_by_freq=*/true).sum().backward();
  const auto runtime = ranks({2});
  const auto table = distribute(runtime, numbered({4, 2}), placed({"R"})).requires_grad_();
  at::embedding(table, distribute(runtime, words, placed({"S(0)"})), -1, true).sum().backward();
  EXPECT_TRUE(at::allclose(whole(table.grad()), plain.grad()));
}

// Returns the placements of the table's gradient, and the collectives of the backward. Checks the
// gradient's values.
std::string gradientOf(const std::vector<int>& mesh, at::IntArrayRef shape,
                       const std::vector<std::string>& tablePlacements,
                       const std::vector<std::string>& idPlacements, bool byFrequency = false) {
  const auto runtime = ranks(mesh);
  const auto words = at::arange(6).mul(5).remainder(shape[0]);
  auto plain = numbered(shape).requires_grad_();
  at::embedding(plain, words, 1, byFrequency).sum().backward();
  auto table = distribute(runtime, numbered(shape), placed(tablePlacements)).requires_grad_();
  const auto y =
      at::embedding(table, distribute(runtime, words, placed(idPlacements)), 1, byFrequency);
  auto whole = idPlacements;
  for (auto& each : whole) each = each == "S(0)" ? each : "R";
  const auto z = redistribute(y, placed(whole));
  const auto seed = distribute(runtime, at::ones(z.sizes()), placed(whole));
  const auto sent = collectivesOf(*runtime, [&] { z.backward(seed); });
  EXPECT_TRUE(at::equal(shardlens::whole(table.grad()), plain.grad()));
  return placementsOf(table.grad()) + (sent.empty() ? "" : " " + sent);
}

TEST(Embedding, TheGradientHasThePlacementsOfItsTableIfThatSendsNothing) {
  EXPECT_EQ(gradientOf({4}, {10, 3}, {"S(0)"}, {"R"}), "(S(0))");
  EXPECT_EQ(gradientOf({4}, {5, 3}, {"S(0)"}, {"R"}), "(S(0))");
  EXPECT_EQ(gradientOf({4}, {2, 3}, {"S(0)"}, {"R"}), "(S(0))");
  EXPECT_EQ(gradientOf({4}, {10, 3}, {"S(0)"}, {"R"}, /*byFrequency=*/true), "(S(0))");
  EXPECT_EQ(gradientOf({4}, {10, 3}, {"R"}, {"R"}), "(R)");
  EXPECT_EQ(gradientOf({4}, {10, 5}, {"S(1)"}, {"R"}), "(S(1))");
  EXPECT_EQ(gradientOf({4}, {10, 3}, {"S(0)"}, {"S(0)"}), "(P(sum))");
  EXPECT_EQ(gradientOf({2, 2}, {9, 4}, {"R", "S(0)"}, {"S(0)", "R"}), "(P(sum), S(0))");
  EXPECT_EQ(gradientOf({2, 2}, {9, 4}, {"S(0)", "S(0)"}, {"R", "R"}), "(S(0), S(0))");
  EXPECT_EQ(gradientOf({2, 2}, {9, 4}, {"S(1)", "S(0)"}, {"R", "R"}), "(S(1), S(0))");
  EXPECT_EQ(gradientOf({2, 2}, {8, 4}, {"SS(0, 2)", "S(0)"}, {"R", "R"}), "(SS(0, 2), S(0))");
}

TEST(Embedding, RefusesSparseGradients) {
  const auto runtime = ranks({2});
  const auto words = distribute(runtime, ids({0}), placed({"R"}));
  auto table = distribute(runtime, numbered({4, 2}), placed({"S(0)"}));
  EXPECT_TRUE(at::equal(whole(at::embedding(table, words, -1, false, /*sparse=*/true)),
                        numbered({4, 2}).narrow(0, 0, 1)));
  table.requires_grad_();
  EXPECT_EQ(refusalOf([&] { at::embedding(table, words, -1, false, /*sparse=*/true); }),
            "aten.embedding: got sparse=True for a table that requires a gradient, expected a "
            "dense one: sparse gradients are not sharded");
}

// Compares bags for all placements of the table, with the gradients of table and weights.
TEST(Embedding, BagsGiveThePlainResultAndGradients) {
  const auto words = ids({3, 6, 4, 4, 1, 5, 0});
  const auto offsets = ids({0, 0, 2, 5});
  for (const auto& cut : layouts({"R", "S(0)", "S(1)"}, 2)) {
    for (const std::int64_t mode : {0, 1, 2}) {
      for (const std::int64_t padding : {-1, 4}) {
        SCOPED_TRACE(toText(cut) + std::to_string(mode) + " " + std::to_string(padding));
        const auto runtime = ranks({2, 2});
        const auto bag = [&](const at::Tensor& table, const at::Tensor& ids,
                             const at::Tensor& starts, const std::optional<at::Tensor>& weights) {
          return std::get<0>(
              at::_embedding_bag(table, ids, starts, false, mode, false, weights, false, padding));
        };
        std::optional<at::Tensor> weights, laidWeights;
        if (mode == 0) {
          weights = numbered({7}, 5).requires_grad_();
          laidWeights = distribute(runtime, numbered({7}, 5), placed({"R", "R"})).requires_grad_();
        }
        auto plain = numbered({7, 4}).requires_grad_();
        auto table = distribute(runtime, numbered({7, 4}), cut).requires_grad_();
        const auto expected = bag(plain, words, offsets, weights);
        const auto y = bag(table, distribute(runtime, words, placed({"R", "R"})),
                           distribute(runtime, offsets, placed({"R", "R"})), laidWeights);
        EXPECT_TRUE(at::allclose(whole(y.detach()), expected));
        expected.sum().backward();
        y.sum().backward();
        EXPECT_TRUE(at::allclose(whole(table.grad()), plain.grad()));
        if (weights) {
          EXPECT_TRUE(at::allclose(whole(laidWeights->grad()), weights->grad()));
        }
      }
    }
  }
}

// libtorch puts ids after the last offset into no bag or into the last one, depending on the
// kernel.
TEST(Embedding, IdsAfterTheLastOffsetAreWherePlainBagsHaveThem) {
  const auto words = ids({0, 1, 5, 2, 3}), offsets = ids({0, 2, 4});
  for (const auto type : {at::kFloat, at::kDouble}) {
    const auto plain = at::arange(12).to(type).reshape({6, 2});
    for (const auto* cut : {"R", "S(0)", "S(1)"}) {
      for (const std::int64_t mode : {0, 1}) {
        for (const std::int64_t padding : {-1, 4}) {
          const auto runtime = ranks({2});
          const auto bag = [&](const at::Tensor& table, const at::Tensor& i, const at::Tensor& o) {
            return std::get<0>(
                at::_embedding_bag(table, i, o, false, mode, false, {}, true, padding));
          };
          const auto y = bag(distribute(runtime, plain, placed({cut})),
                             distribute(runtime, words, placed({"R"})),
                             distribute(runtime, offsets, placed({"R"})));
          EXPECT_TRUE(at::allclose(whole(y), bag(plain, words, offsets)))
              << cut << " mode " << mode << " padding " << padding;
        }
      }
    }
  }
}

TEST(Embedding, RefusesBagsThatAreNone) {
  const auto runtime = ranks({2});
  const auto laid = [&](const at::Tensor& plain) {
    return distribute(runtime, plain, placed({"R"}));
  };
  const auto table = distribute(runtime, numbered({6, 2}), placed({"S(0)"}));
  const auto look = [&](const at::Tensor& words, const at::Tensor& offsets) {
    return refusalOf([&] { at::_embedding_bag(table, laid(words), laid(offsets)); });
  };
  const auto words = ids({0, 1, 5});
  EXPECT_EQ(look(words, ids({0, 2})), "nothing was refused");
  EXPECT_EQ(look(words, at::zeros({}, at::kLong)),
            "aten._embedding_bag: offsets: got 0 dimensions, expected 1");
  EXPECT_EQ(look(words.unsqueeze(0), ids({0})),
            "aten._embedding_bag: ids: got 2 dimensions, expected 1");
  EXPECT_EQ(look(words, ids({1, 2})), "aten._embedding_bag: offsets[0] has to be 0, got 1");
  EXPECT_EQ(look(words, ids({0, 2, 1})),
            "aten._embedding_bag: offsets: got one below that before it, expected ascending ones "
            "up to 3");
  EXPECT_EQ(look(words, ids({0, 4})), "aten._embedding_bag: offsets: got 4, expected at most 3");
  const auto back = [&](const at::Tensor& i, const at::Tensor& bags) {
    return refusalOf([&] {
      at::_embedding_bag_dense_backward(laid(numbered({2, 2})), laid(i), laid(bags),
                                        laid(ids({2, 1})), laid(ids({2, 1})), 6, false, 0, {});
    });
  };
  EXPECT_EQ(back(words, ids({0, 0, 1})), "nothing was refused");
  EXPECT_EQ(back(words, ids({0, 0, 2})),
            "aten._embedding_bag_dense_backward: offset2bag: got 2, expected 0 to 1");
  EXPECT_EQ(back(ids({0, 1, 6}), ids({0, 0, 1})),
            "aten._embedding_bag_dense_backward: index 6 at position [2] of the ids is out of "
            "range, expected 0 to 5");
}

TEST(Embedding, RefusesATableThatIsNone) {
  const auto runtime = ranks({2});
  const auto words = distribute(runtime, ids({0}), placed({"R"}));
  const auto cube = distribute(runtime, numbered({2, 2, 2}), placed({"R"}));
  EXPECT_EQ(refusalOf([&] { at::embedding(cube, words); }),
            "aten.embedding: got a weight of 3 dimensions, expected 2");
  const auto scalar = distribute(runtime, numbered({}), placed({"R"}));
  EXPECT_EQ(refusalOf([&] { at::embedding_dense_backward(scalar, words, 2, -1, false); }),
            "aten.embedding_dense_backward: got a gradient of shape [] for ids of shape [1], "
            "expected that shape and a width");
}

TEST(Embedding, RefusesIdsOutOfRangeInAnyPlacementOfTheTable) {
  const auto runtime = ranks({2, 2});
  for (const auto* cut : {"R", "S(0)", "S(1)"}) {
    const auto table = distribute(runtime, numbered({10, 4}), placed({"R", cut}));
    const auto look = [&](const std::vector<std::int64_t>& words) {
      return refusalOf([&] {
        at::embedding(table, distribute(runtime, ids(words), placed({"S(0)", "R"})));
      });
    };
    EXPECT_EQ(look({0, 9}), "nothing was refused");
    EXPECT_EQ(
        look({0, 3, 10}),
        "aten.embedding: index 10 at position [2] of the ids is out of range, expected 0 to 9");
    EXPECT_EQ(
        look({0, -1, 2}),
        "aten.embedding: index -1 at position [1] of the ids is out of range, expected 0 to 9");
  }
}

TEST(Embedding, IndicesThatAreWrittenToAreLookedAtOnAllRanks) {
  const auto runtime = ranks({2});
  const auto table = distribute(runtime, numbered({4, 2}), placed({"S(1)"}));
  const auto laid = [&](const std::vector<std::int64_t>& words) {
    return distribute(runtime, ids(words), placed({"R"}));
  };
  EXPECT_EQ(refusalOf([&] { at::index_fill(table, 0, laid({-4, 3}), 1); }), "nothing was refused");
  EXPECT_EQ(
      refusalOf([&] {
        at::index_fill(table, 0, laid({0, 4}), 1);
      }),
      "aten.index_fill: index 4 at position [1] of the ids is out of range, expected -4 to 3");
  const auto rows = distribute(runtime, ids({0, 4}).reshape({1, 2}), placed({"R"}));
  EXPECT_EQ(refusalOf([&] { at::scatter(table, 0, rows, 1, "add"); }),
            "aten.scatter: index 4 at position [0, 1] of the ids is out of range, expected 0 to 3");
}

}  // namespace
}  // namespace shardlens
