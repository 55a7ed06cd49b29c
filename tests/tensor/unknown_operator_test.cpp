// Operators without a rule, in a run that replicates their inputs.

#include "core/trace/journal/journal.h"
#include "core/trace/records/candidates_record.h"
#include "tests/tensor/ranks.h"

#include <ATen/ATen.h>

namespace shardlens {
namespace {

constexpr auto kReplicated = UnknownOperators::Replicated;

std::shared_ptr<Runtime> running(UnknownOperators unknown, std::vector<int> mesh = {2}) {
  return ranks(std::move(mesh), RuntimeOptions{.unknown = unknown});
}

at::Tensor imageBatch() { return numbered({1, 2, 4, 4}); }
at::Tensor samples() { return at::zeros({1, 2, 2}); }

at::Tensor pooled(const at::Tensor& x, const at::Tensor& samples) {
  return std::get<0>(at::fractional_max_pool2d(x, {2, 2}, {2, 2}, samples));
}

// In three dimensions the gradient operator has no meta function.
at::Tensor gradientOf(const at::Tensor& gradient, const at::Tensor& x, const at::Tensor& indices) {
  return at::fractional_max_pool3d_backward(gradient, x, {1, 2, 2}, {1, 1, 1}, indices);
}

std::string refusalOfPool(UnknownOperators unknown) {
  const auto runtime = running(unknown);
  const auto x = distribute(runtime, imageBatch(), placed({"S(1)"}));
  const auto draws = distribute(runtime, samples(), placed({"R"}));
  return refusalOf([&] { pooled(x, draws); });
}

const std::string kNone = " does not have a sharding strategy registered.";

TEST(UnknownOperators, AreRefusedByDefault) {
  EXPECT_EQ(refusalOfPool(UnknownOperators::Refused),
            "Operator aten.fractional_max_pool2d.default" + kNone);
  EXPECT_EQ(refusalOfPool(kReplicated), "nothing was refused");
}

TEST(UnknownOperators, RunReplicatedOnEveryRank) {
  for (const auto* placement : {"S(1)", "P(sum)", "R"}) {
    const auto runtime = running(kReplicated);
    const auto x = distribute(runtime, imageBatch(), placed({placement}));
    const auto y = pooled(x, distribute(runtime, samples(), placed({"S(1)"})));
    EXPECT_EQ(placementsOf(y), "(R)");
    EXPECT_TRUE(at::equal(whole(y), pooled(imageBatch(), samples())));
  }
}

TEST(UnknownOperators, NeedNoMetaFunction) {
  const auto x = numbered({1, 1, 2, 2}), gradient = at::ones({1, 1, 1, 1});
  const auto indices = at::ones({1, 1, 1, 1}, at::kLong);
  const auto runtime = running(kReplicated);
  const auto lying = [&](const at::Tensor& tensor, const char* placement) {
    return distribute(runtime, tensor, placed({placement}));
  };
  const auto dx = gradientOf(lying(gradient, "R"), lying(x, "S(2)"), lying(indices, "R"));
  EXPECT_TRUE(at::equal(whole(dx), gradientOf(gradient, x, indices)));
}

TEST(UnknownOperators, AreNamedAsWithoutARule) {
  const auto runtime = running(kReplicated);
  const auto x = distribute(runtime, imageBatch(), placed({"S(1)"}));
  const auto draws = distribute(runtime, samples(), placed({"R"}));
  Journal journal;
  runtime->recorder().addSink(journal);
  pooled(x, draws);
  runtime->recorder().removeSinks();
  std::string chosen;
  for (EventId id = 1; id <= journal.size(); ++id) {
    const Event& event = journal.at(id);
    if (event.kind == EventKind::Candidates) chosen += journal.text(event.name);
  }
  EXPECT_EQ(chosen, kNoRule);
}

TEST(UnknownOperators, AreRefusedIfReplicasMayDiffer) {
  const auto runtime = running(kReplicated);
  const auto x = distribute(runtime, numbered({4, 4}), placed({"S(0)"}));
  const auto refused = [&](const char* name, const char* why, auto call) {
    EXPECT_EQ(refusalOf(call),
              "Operator aten." + std::string(name) + kNone + " It is not run whole: " + why + ".");
  };
  refused("poisson.default", "it draws random numbers", [&] { at::poisson(x); });
  refused("view.dtype", "its result shares memory with an argument", [&] { x.view(at::kInt); });
  auto written = distribute(runtime, numbered({4, 4}), placed({"R"}));
  refused("resize_.default", "it writes into its arguments", [&] { written.resize_({4}); });
}

TEST(UnknownOperators, ThatMakeTensorsWhichAreNotDenseHaveNone) {
  const auto runtime = running(kReplicated);
  const auto x = distribute(runtime, numbered({4, 4}), placed({"S(0)"}));
  EXPECT_EQ(refusalOf([&] { x.to_sparse(); }),
            "Operator aten._to_sparse.default" + kNone +
                " It has none: sparse tensors are not sharded, as which elements they hold "
                "depends on values.");
  EXPECT_EQ(refusalOf([&] { at::quantize_per_tensor(x, 0.5, 0, at::kQInt8); }),
            "element type QInt8 is not supported on sharded tensors");
}

}  // namespace
}  // namespace shardlens
