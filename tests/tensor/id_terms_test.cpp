// Ids that are partial values, of a sum or of a pending lookup. A lookup must use the reduced ids.

#include "tests/tensor/ranks.h"

namespace shardlens {
namespace {

at::Tensor terms(const std::shared_ptr<Runtime>& runtime, const std::vector<std::int64_t>& a,
                 const std::vector<std::int64_t>& b) {
  return fromLocals(runtime, {ids(a), ids(b)}, placed({"P(sum)"}), std::nullopt);
}

TEST(PartialIds, APendingLookupIsNotMaskedIds) {
  for (const auto masking : {Masking::Fused, Masking::Stepwise}) {
    const auto runtime = ranks({2}, masking);
    const auto next = at::tensor({1, 5, 2, 6, 3, 7, 4, 0, 5, 6, 6, 7, 7, 5, 0, 1}).view({8, 2});
    const auto table = numbered({8, 2});
    const auto pending = at::embedding(distribute(runtime, next, placed({"S(0)"})),
                                       distribute(runtime, ids({1, 6}), placed({"R"})));
    const auto found = at::embedding(distribute(runtime, table, placed({"S(0)"})), pending);
    EXPECT_TRUE(at::equal(whole(found), at::embedding(table, at::embedding(next, ids({1, 6})))));
    const auto gradient = numbered({2, 2, 2}, 5);
    const auto summed = at::embedding_dense_backward(distribute(runtime, gradient, placed({"R"})),
                                                     pending, 8, -1, false);
    EXPECT_TRUE(at::equal(
        whole(summed),
        at::embedding_dense_backward(gradient, at::embedding(next, ids({1, 6})), 8, -1, false)));
  }
}

TEST(PartialIds, AreReducedBeforeALookup) {
  const auto runtime = ranks({2});
  const auto table = numbered({8, 3});
  for (const std::string cut : {"S(0)", "S(1)", "R"}) {
    const auto sharded = distribute(runtime, table, placed({cut}));
    const auto found = [&](const at::Tensor& at) { return whole(at::embedding(sharded, at)); };
    EXPECT_TRUE(
        at::equal(found(terms(runtime, {12, 9}, {-5, -4})), table.index_select(0, ids({7, 5}))));
    EXPECT_EQ(
        refusalOf([&] {
          found(terms(runtime, {5, 1}, {5, 1}));
        }),
        "aten.embedding: index 10 at position [0] of the ids is out of range, expected 0 to 7");
    EXPECT_TRUE(at::equal(whole(at::index_select(sharded, 0, terms(runtime, {12, 9}, {-5, -4}))),
                          table.index_select(0, ids({7, 5}))));
  }
}

TEST(PartialIds, MaskedForOneTableAreCheckedForAnother) {
  for (const auto masking : {Masking::Fused, Masking::Stepwise}) {
    const auto runtime = ranks({2}, masking);
    const auto masked = redistribute(distribute(runtime, ids({7, 1}), placed({"R"})),
                                     placed({"MaskP(sum, [10, 3], 0)"}));
    const auto table = distribute(runtime, numbered({5, 3}), placed({"S(0)"}));
    EXPECT_EQ(
        refusalOf([&] { at::embedding(table, masked); }),
        "aten.embedding: index 7 at position [0] of the ids is out of range, expected 0 to 4");
  }
}

// Differing replicas of ids are an error that must stay visible. Each rank looks up its own ids,
// even if rows would otherwise be sent by their owners.
TEST(PartialIds, DifferentReplicasAreUsedAsTheyAre) {
  for (const std::int64_t width : {4, 8192}) {
    const auto runtime = ranks({2});
    const auto table = numbered({8, width});
    const auto differing =
        fromLocals(runtime, {ids({0, 1}), ids({4, 5})}, placed({"R"}), std::nullopt);
    const auto found = redistribute(
        at::embedding(distribute(runtime, table, placed({"S(0)"})), differing), placed({"R"}));
    for (const auto& local : dtensorImpl(found).locals()) {
      EXPECT_TRUE(at::equal(local, table.slice(0, 0, 2) + table.slice(0, 4, 6))) << width;
    }
  }
}

}  // namespace
}  // namespace shardlens
