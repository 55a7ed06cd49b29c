#include "core/inference/tables.h"
#include "tests/inference/plain_run.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace shardlens {
namespace {

constexpr auto kHalf = R"({"args":{"self":{"tensor":0},"other":2.0}})";
constexpr auto kAdd = R"({"args":{"self":{"tensor":0},"other":{"tensor":1}},"pointwise":true})";
constexpr auto kProduct = R"({"args":{"self":{"tensor":0},"mat2":{"tensor":1}}})";
constexpr auto kViewCall = R"({"args":{"self":{"tensor":0}}})";

// A run of one step with the parameter w and its gradient, which a matrix product computes.
struct OneStep : PlainRun {
  OneStep() {
    parameter("w", tensor("w", {4, 2}));
    const auto x = tensor("x", {4, 3}), y = tensor("y", {3, 2});
    gradient = call("aten.mm", {x, y}, {4, 2}, kProduct);
  }
  void read() { note("w.grad", gradient, R"({"role":"gradient"})"); }
  // Returns the ledger as text, an entry a line.
  std::string ledger() const {
    const auto found = inferPlacements(journal);
    std::string text;
    for (const auto& entry : found.ledgers.back().entries) {
      const auto over = overText(entry, found.axes);
      text += entryText(entry) + (over.empty() ? "" : " over " + over) + "\n";
    }
    return text + ledgerSummary(found.ledgers.back(), found.axes);
  }
  TensorId gradient = 0;
};

TEST(GradientLedger, ListsReductionsAndDivisors) {
  OneStep step;
  step.allReduce(step.gradient);
  step.write("aten.div_.Tensor", {step.gradient}, kHalf);
  step.read();
  EXPECT_EQ(step.ledger(),
            "computed by aten.mm\n"
            "summed by all_reduce over tp (ranks 0,1)\n"
            "divided by 2\n"
            "read by the optimizer\n"
            "summed over tp, divided by 2");
}

TEST(GradientLedger, GivesThePlacementsByAxis) {
  OneStep step;
  step.allReduce(step.gradient);
  step.read();
  const auto found = inferPlacements(step.journal);
  const auto& entries = found.ledgers.back().entries;
  EXPECT_EQ(placementsByAxis(found.axes, entries[0].placements).dump(), R"j({"tp":"P(sum)"})j");
  EXPECT_EQ(placementsByAxis(found.axes, entries[1].placements).dump(), R"({"tp":"R"})");
  const std::vector<RankAxis> axes{{"tp", {}}, {"dp", {}}};
  const std::vector<InferredPlacement> unknown(axes.size());
  EXPECT_EQ(placementsByAxis(axes, unknown).dump(), R"({"tp":null,"dp":null})");
  EXPECT_EQ(placementsByAxis({}, {}).dump(), "{}");
}

TEST(GradientLedger, ListsReductionsThatCameTooLate) {
  OneStep step;
  step.read();
  step.allReduce(step.gradient);
  EXPECT_EQ(step.ledger(),
            "computed by aten.mm\n"
            "read by the optimizer\n"
            "summed by all_reduce over tp (ranks 0,1)\n");
  const auto found = inferPlacements(step.journal);
  const auto table = ledgerTable(step.journal, found.axes, found.ledgers.back());
  EXPECT_EQ(table.rows[2].cells[0].text, "summed by all_reduce, too late");
  EXPECT_EQ(table.rows[2].cells[0].tone, view::Tone::Bad);
  EXPECT_EQ(table.rows[1].cells[0].tone, view::Tone::Plain);
}

// The gradient is flattened into a bucket, which is summed, and copied back.
TEST(GradientLedger, FollowsABucket) {
  OneStep step;
  const auto flat = step.call("aten.view", {step.gradient}, {8}, kViewCall);
  const auto other = step.tensor("other", {3});
  const auto bucket = step.call("aten.cat", {other, flat}, {11}, R"({"args":{"tensors":[]}})");
  step.allReduce(bucket, "avg");
  const auto part = step.call("aten.slice.Tensor", {bucket}, {8}, kViewCall);
  const auto shaped = step.call("aten.view", {part}, {4, 2}, kViewCall);
  step.write("aten.copy_", {step.gradient, shaped}, kAdd);
  step.read();
  EXPECT_EQ(step.ledger(),
            "computed by aten.mm\n"
            "averaged by all_reduce over tp (ranks 0,1)\n"
            "read by the optimizer\n"
            "averaged over tp");
}

// A bucket of which the gradient is a view: its reduction writes the gradient, too.
TEST(GradientLedger, FollowsAReductionOfOverlappingMemory) {
  OneStep step;
  step.allReduceBeside(step.tensor("bucket", {8}), step.gradient, R"({"role":"alias"})");
  step.read();
  EXPECT_EQ(step.ledger(),
            "computed by aten.mm\n"
            "summed by all_reduce over tp (ranks 0,1)\n"
            "read by the optimizer\n"
            "summed over tp");
}

TEST(GradientLedger, ListsContributionsAfterAReduction) {
  OneStep step;
  step.allReduce(step.gradient);
  step.write("aten.add_.Tensor", {step.gradient, step.tensor("more", {4, 2})}, kAdd);
  step.read();
  EXPECT_EQ(step.ledger(),
            "computed by aten.mm\n"
            "summed by all_reduce over tp (ranks 0,1)\n"
            "another value added\n"
            "read by the optimizer\n"
            "summed over tp");
}

TEST(PlacedContents, ChangeWithTheEvents) {
  OneStep step;
  const EventId before = step.journal.size();
  step.allReduce(step.gradient);
  step.read();
  const auto found = inferPlacements(step.journal);
  ASSERT_EQ(found.axes.size(), 1U);
  const auto textAt = [&](EventId event) {
    return placementText(found.contents.at(step.gradient, event).at(0));
  };
  EXPECT_EQ(textAt(before), "P(sum)");
  EXPECT_EQ(textAt(step.journal.size()), "R");
  EXPECT_TRUE(found.contents.at(step.gradient, 1).empty());
  EXPECT_TRUE(found.contents.at(999, before).empty());
}

}  // namespace
}  // namespace shardlens
