#include "tests/inference/plain_run.h"

#include <gtest/gtest.h>

namespace shardlens {
namespace {

// Records an all_to_all of the rows of a tensor.
TensorId exchangeRows(PlainRun& run, TensorId rows, bool isUneven) {
  const std::vector<TensorId> inputs{rows};
  const Span span(run.recorder,
                  makePlainCall(run.recorder, "c10d.alltoall_base_",
                                isUneven ? R"({"collective":"all_to_all","uneven":true})"
                                         : R"({"collective":"all_to_all"})"),
                  inputs);
  run.recorder.note(makeCollective(run.recorder, CollectiveKind::AllToAll, "0,1", -1, 8, {}));
  const auto made = run.tensor("made", {6, 4});
  run.note("made", made, "");
  return made;
}

// Rows that ranks have exchanged are multiplied by the rank's own weight, as that of its expert, or
// by a copy: only values show which.
TEST(Places, WeightsOfExchangedRowsAreUnknown) {
  constexpr auto kMultiply = R"({"args":{"self":{"tensor":0},"mat2":{"tensor":1}}})";
  for (const bool isUneven : {true, false}) {
    PlainRun run;
    const auto x = run.tensor("x", {6, 4}), weight = run.tensor("weight", {4, 4});
    run.parameter("weight", weight);
    const auto rows = exchangeRows(run, x, isUneven);
    const auto product = run.call("aten.mm", {rows, weight}, {6, 4}, kMultiply);
    run.note("product", product, R"({"role":"output"})");
    const auto gradient = exchangeRows(run, exchangeRows(run, product, isUneven), isUneven);
    const auto columns = run.call("aten.t", {rows}, {4, 6}, R"({"args":{"self":{"tensor":0}}})");
    const auto sum = run.call("aten.mm", {columns, gradient}, {4, 4}, kMultiply);
    run.note("weight.grad", sum, R"({"role":"gradient"})");
    EXPECT_EQ(run.placement("product"), "S(0)");
    EXPECT_EQ(run.placement("weight"), "?");
    EXPECT_EQ(run.placement("weight.grad"), "?");
    EXPECT_TRUE(inferPlacements(run.journal).findings.empty());
  }
}

// Each rank may sum bags of its own ids, so that the gradient of the table is a sum over the ranks.
TEST(Places, OfBagsMayBeAShardOfTheBatch) {
  constexpr auto kBagsBackward =
      R"({"args":{"grad":{"tensor":0},"indices":{"tensor":1},"offsets":{"tensor":2},)"
      R"("offset2bag":{"tensor":3},"bag_size":{"tensor":4},"maximum_indices":{"tensor":5},)"
      R"("num_weights":11,"scale_grad_by_freq":false,"mode":0,"sparse":false,)"
      R"("per_sample_weights":null,"padding_idx":-1}})";
  PlainRun run;
  const auto gradient = run.tensor("gradient", {7, 5}), ids = run.tensor("ids", {14});
  const auto bags = run.tensor("bags", {7});
  run.note("gradient", gradient, R"({"role":"output"})");
  const auto sum = run.call("aten._embedding_bag_backward", {gradient, ids, bags, ids, bags, bags},
                            {11, 5}, kBagsBackward);
  run.allReduce(sum);
  EXPECT_EQ(run.placement("gradient"), "S(0)");
}

// Rows of merged dimensions may be those of a shard of either dimension.
TEST(Places, ExchangedRowsOfMergedDimensionsAreUnknown) {
  constexpr auto kView = R"({"args":{"self":{"tensor":0},"size":[6,4]}})";
  constexpr auto kIndex = R"({"args":{"self":{"tensor":0},"indices":[{"tensor":1}]}})";
  for (const bool isIndexed : {true, false}) {
    PlainRun run;
    const auto x = run.tensor("x", {2, 3, 4}), order = run.tensor("order", {6});
    run.note("x", x, R"({"role":"output"})");
    auto rows = run.call("aten.view", {x}, {6, 4}, kView);
    if (isIndexed) rows = run.call("aten.index.Tensor", {rows, order}, {6, 4}, kIndex);
    exchangeRows(run, rows, true);
    EXPECT_EQ(run.placement("x"), "?");
  }
}

// Ranks that send parts of different sizes and receive such exchange rows. Rows that are then
// selected by each rank's own index, and written to such places, are rows as well.
TEST(Places, RowsThatAreExchangedUnevenlyAreAShardOfRows) {
  constexpr auto kCopy =
      R"({"args":{"self":{"tensor":0},"dim":0,"index":{"tensor":1},"source":{"tensor":2}}})";
  for (const bool isUneven : {true, false}) {
    PlainRun run;
    const auto x = run.tensor("x", {6, 4}), order = run.tensor("order", {6});
    const auto rows = exchangeRows(run, x, isUneven);
    run.note("rows", rows, R"({"role":"output"})");
    const auto placed = run.call("aten.index_copy", {x, order, rows}, {6, 4}, kCopy);
    run.note("placed", placed, R"({"role":"output"})");
    EXPECT_EQ(run.placement("rows"), isUneven ? "S(0)" : "?");
    EXPECT_EQ(run.placement("placed"), isUneven ? "S(0)" : "?");
  }
}

// An index of the rows and of one element of each is one of the rank's own rows. What it writes
// back is a shard as well.
TEST(Places, ElementsOfOwnRowsAreAShardOfRows) {
  constexpr auto kIndex = R"({"args":{"self":{"tensor":0},"indices":[{"tensor":1},{"tensor":2}]}})";
  constexpr auto kPut =
      R"({"args":{"self":{"tensor":0},"indices":[{"tensor":1},{"tensor":2}],"values":{"tensor":3}}})";
  PlainRun run;
  const auto x = run.tensor("x", {6, 4}), rows = run.tensor("rows", {6});
  const auto columns = run.tensor("columns", {6});
  run.note("assert_placement", x, R"json({"role":"claim","claim":{"tp":"S(0)"}})json");
  run.allReduce(run.tensor("other", {3}));
  const auto read = run.call("aten.index.Tensor", {x, rows, columns}, {6}, kIndex);
  run.note("assert_placement", read, R"json({"role":"claim","claim":{"tp":"S(0)"}})json");
  const auto written = run.call("aten.index_put", {x, rows, columns, read}, {6, 4}, kPut);
  run.note("written", written, R"({"role":"output"})");
  EXPECT_EQ(run.placement("written"), "S(0)");
  EXPECT_TRUE(inferPlacements(run.journal).findings.empty());
}

// A view that divides rows, as the counts of the tokens of each expert, merges no dimensions.
TEST(Places, RowsBesideADividedDimensionAreAShardOfRows) {
  constexpr auto kView = R"({"args":{"self":{"tensor":0},"size":[2,3]}})";
  constexpr auto kIndex = R"({"args":{"self":{"tensor":0},"indices":[{"tensor":1}]}})";
  PlainRun run;
  const auto counts = run.tensor("counts", {6}), order = run.tensor("order", {6});
  run.call("aten.view", {counts}, {2, 3}, kView);
  const auto rows = exchangeRows(run, run.tensor("x", {6, 4}), true);
  const auto ordered = run.call("aten.index.Tensor", {rows, order}, {6, 4}, kIndex);
  exchangeRows(run, ordered, true);
  run.note("ordered", ordered, R"({"role":"output"})");
  EXPECT_EQ(run.placement("ordered"), "S(0)");
}

// Each rank has the weights of its own experts: a product with its rows has these rows.
TEST(Places, ProductsOfRowsAndOwnWeightsAreRows) {
  constexpr auto kMultiply = R"({"args":{"self":{"tensor":0},"mat2":{"tensor":1}}})";
  constexpr auto kSelect = R"({"args":{"self":{"tensor":0},"dim":0,"index":0}})";
  PlainRun run;
  run.recorder.setCapture(CaptureLevel::Hashes);
  const auto up = run.tensor("up", {2, 4, 5}), down = run.tensor("down", {2, 5, 4});
  for (const auto weight : {up, down}) {
    run.parameter(weight == up ? "up" : "down", weight);
    for (const int rank : {0, 1}) {
      const std::vector<float> values{1, static_cast<float>(rank)};
      ValueRecord value;
      value.tensor = weight;
      value.rank = rank;
      value.shape = {2};
      run.recorder.value(std::move(value), std::as_bytes(std::span(values)));
    }
  }
  const auto rows = exchangeRows(run, run.tensor("x", {6, 4}), true);
  const auto first = run.call("aten.mm", {rows, run.call("aten.select.int", {up}, {4, 5}, kSelect)},
                              {6, 5}, kMultiply);
  const auto second = run.call(
      "aten.mm", {first, run.call("aten.select.int", {down}, {5, 4}, kSelect)}, {6, 4}, kMultiply);
  run.note("first", first, R"({"role":"output"})");
  exchangeRows(run, second, true);
  EXPECT_EQ(run.placement("first"), "S(0)");
  EXPECT_EQ(run.placement("up"), "S(0)");
  EXPECT_EQ(run.placement("down"), "S(0)");
}

// Each rank may renormalise the rows of a table that its own ids name, and look them up.
TEST(Places, ATableMayBeRenormalisedByOwnIds) {
  constexpr auto kRenorm =
      R"({"args":{"self":{"tensor":0},"indices":{"tensor":1},"max_norm":1.0,"norm_type":2.0}})";
  constexpr auto kLookUp = R"({"args":{"weight":{"tensor":0},"indices":{"tensor":1}}})";
  PlainRun run;
  const auto table = run.tensor("table", {6, 4}), ids = run.tensor("ids", {5});
  run.allReduce(run.tensor("other", {3}));
  run.parameter("table", table);
  const auto made = run.call("aten.embedding_renorm", {table, ids}, {6, 4}, kRenorm);
  const auto rows = run.call("aten.embedding", {made, ids}, {5, 4}, kLookUp);
  run.note("assert_placement", rows, R"json({"role":"claim","claim":{"tp":"S(0)"}})json");
  run.note("ids", ids, R"({"role":"output"})");
  EXPECT_EQ(run.placement("ids"), "S(0)");
  EXPECT_EQ(run.placement("table"), "?");
  EXPECT_TRUE(inferPlacements(run.journal).findings.empty());
}

}  // namespace
}  // namespace shardlens
