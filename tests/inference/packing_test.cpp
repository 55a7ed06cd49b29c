#include "tests/inference/plain_run.h"

#include <gtest/gtest.h>

namespace shardlens {
namespace {

constexpr auto kPack = R"({"args":{"tensors":[{"tensor":0}],"dim":0,"out":{"tensor":1}}})";
constexpr auto kPackedProduct = R"({"args":{"self":{"tensor":0},"mat2":{"tensor":1}}})";
constexpr auto kPackedOutput = R"({"role":"output"})";

// Records that FSDP2 copies a tensor into a buffer that another tensor is a view of, whose name is
// `buffer` from then on.
TensorId packed(PlainRun& run, TensorId from, const char* buffer) {
  const auto view = run.tensor("view", {2, 8}), memory = run.tensor(buffer, {16});
  const Span span(run.recorder, makePlainCall(run.recorder, "fsdp.chunk_cat", kPack),
                  std::vector<TensorId>{from, view});
  run.note("chunk_cat", view, "");
  run.note(buffer, memory, R"({"role":"alias"})");
  return memory;
}

TEST(PackingOperators, CopyPartialSums) {
  PlainRun run;
  const auto product = run.call("aten.mm", {run.tensor("x", {4, 3}), run.tensor("y", {3, 4})},
                                {4, 4}, kPackedProduct);
  run.note("product", product, kPackedOutput);
  run.allReduce(packed(run, product, "buffer"));
  EXPECT_EQ(run.placement("product"), "P(sum)");
}

TEST(PackingOperators, CopyWholeTensors) {
  PlainRun run;
  const auto x = run.tensor("x", {4, 4});
  run.allReduce(x);
  run.note("buffer", packed(run, x, "buffer"), kPackedOutput);
  EXPECT_EQ(run.placement("buffer"), "R");
}

// The parts of a shard may follow each other in any order.
TEST(PackingOperators, LeaveShardsUnknown) {
  PlainRun run;
  const auto x = run.tensor("x", {4, 3}), y = run.tensor("y", {3, 4});
  const auto product = run.call("aten.mm", {x, y}, {4, 4}, kPackedProduct);
  run.allReduce(product);
  run.note("y", y, kPackedOutput);
  run.note("buffer", packed(run, y, "buffer"), kPackedOutput);
  EXPECT_EQ(run.placement("y"), "S(0)");
  EXPECT_EQ(run.placement("buffer"), "?");
}

}  // namespace
}  // namespace shardlens
