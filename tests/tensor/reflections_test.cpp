// Compares products of Householder reflections and their gradients with those of plain tensors.

#include "core/trace/journal/journal.h"
#include "tests/tensor/ranks.h"

#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/custom_function.h>

#include <functional>

namespace shardlens {
namespace {

using Tensors = std::vector<at::Tensor>;
using Call = std::function<at::Tensor(const Tensors&)>;

Tensors asLeaves(const Tensors& tensors) {
  Tensors leaves;
  for (const auto& tensor : tensors) leaves.push_back(tensor.detach().requires_grad_());
  return leaves;
}

// Returns the gradients, the second gradients and the result. The loss weighs each element
// differently.
Tensors differentiated(const Call& call, const Tensors& given, const at::Tensor& weights) {
  const auto inputs = asLeaves(given);
  const auto y = call(inputs);
  auto results = torch::autograd::grad({y.mul(weights).sum()}, inputs, {}, true, true);
  at::Tensor loss;
  for (const auto& gradient : results) {
    const auto term = gradient.mul(gradient).sum();
    loss = loss.defined() ? loss + term : term;
  }
  for (const auto& second : torch::autograd::grad({loss}, inputs)) results.push_back(second);
  results.push_back(y);
  return results;
}

at::Tensor fractions(at::IntArrayRef shape, int modulus) {
  return numbered(shape, modulus).to(at::kDouble).div(modulus);
}

at::Tensor weightsFor(const at::Tensor& result) { return fractions(result.sizes(), 13).add(0.1); }

// Compares with plain tensors, with these placements for all inputs, and for one input at a time.
void expectInStep(const Call& call, const Tensors& inputs, const std::vector<int>& mesh,
                  const Placements& placements) {
  const auto weights = weightsFor(call(inputs));
  const auto plain = differentiated(call, inputs, weights);
  const auto runtime = ranks(mesh);
  const Placements whole(mesh.size(), Replicate{});
  for (std::size_t alone = 0; alone <= inputs.size(); ++alone) {
    SCOPED_TRACE(toText(placements) + " alone " + std::to_string(alone));
    const auto laid = [&](const at::Tensor& tensor, bool cut) {
      auto own = cut ? placements : whole;
      for (auto& placement : own) {
        const auto dim = shardedDim(placement);
        if (dim && *dim >= tensor.dim()) placement = Replicate{};
      }
      return distribute(runtime, tensor, own);
    };
    Tensors sharded;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      sharded.push_back(laid(inputs[i], alone == inputs.size() || alone == i));
    }
    const auto got = differentiated(call, sharded, laid(weights, alone == inputs.size()));
    ASSERT_EQ(got.size(), plain.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
      EXPECT_TRUE(at::allclose(shardlens::whole(got[i]), plain[i])) << i;
    }
  }
}

void expectInStep(const Call& call, const Tensors& inputs) {
  const int dims = static_cast<int>(inputs.front().dim());
  for (int dim = 0; dim < dims; ++dim) {
    expectInStep(call, inputs, {2}, {Shard{dim}});
    expectInStep(call, inputs, {3}, {Shard{dim}});
    expectInStep(call, inputs, {2, 2}, {Shard{dim}, Shard{dims - 1}});
  }
  expectInStep(call, inputs, {2}, {Partial{ReduceOp::Sum}});
}

const Tensors kReflections = {fractions({4, 3}, 11), fractions({3}, 7).add(0.2)};
const Tensors kStack = {fractions({2, 4, 3}, 11), fractions({2, 3}, 7).add(0.2)};

TEST(Reflections, HaveGradientsInAnyPlacement) {
  const Call product = [](const Tensors& t) { return at::linalg_householder_product(t[0], t[1]); };
  expectInStep(product, kReflections);
  expectInStep(product, kStack);
}

TEST(Reflections, OfOtherMatricesHaveGradientsInAnyPlacement) {
  for (const bool left : {true, false}) {
    for (const bool transposed : {true, false}) {
      SCOPED_TRACE(testing::Message() << left << transposed);
      const Call product = [=](const Tensors& t) {
        return at::ormqr(t[0], t[1], t[2], left, transposed);
      };
      const auto other = left ? fractions({4, 2}, 5) : fractions({2, 4}, 5);
      expectInStep(product, {kReflections[0], kReflections[1], other});
    }
  }
}

class OnRanks : public testing::Test {
 protected:
  Tensors leaves(const std::shared_ptr<Runtime>& runtime) const {
    return asLeaves({distribute(runtime, kReflections[0], placed({"S(0)"})),
                     distribute(runtime, kReflections[1], placed({"R"}))});
  }
};

// The matrix is gathered, and so is the sharded gradient of the result. The gradients keep the
// placements of their tensors.
TEST_F(OnRanks, MatricesAreGatheredBecauseTheOperatorNeedsThem) {
  const auto runtime = ranks({2});
  const auto inputs = leaves(runtime);
  const auto weights = distribute(runtime, weightsFor(kReflections[0]), placed({"S(1)"}));
  Journal journal;
  runtime->recorder().addSink(journal);
  at::linalg_householder_product(inputs[0], inputs[1]).mul(weights).sum().backward();
  runtime->recorder().removeSinks();
  std::string kinds;
  for (EventId id = 1; id <= journal.size(); ++id) {
    const Event event = journal.at(id);
    if (event.kind == EventKind::Collective) kinds += std::string(journal.name(event)) + " ";
    if (event.kind == EventKind::Redistribute) {
      EXPECT_EQ(event.verdict, Verdict::Implicit);
    }
  }
  EXPECT_EQ(kinds, "all_gather all_gather ");
  EXPECT_EQ(placementsOf(inputs[0].grad()), "(S(0))");
  EXPECT_EQ(placementsOf(inputs[1].grad()), "(R)");
}

TEST_F(OnRanks, MatricesAreNotMovedImplicitlyIfThatIsRefused) {
  const auto runtime = ranks({2}, RuntimeOptions{.redistributions = Redistributions::Explicit});
  const auto inputs = leaves(runtime);
  EXPECT_NE(refusalOf([&] {
              at::linalg_householder_product(inputs[0], inputs[1]);
            }).find("Implicit redistribution occurred for aten.linalg_householder_product"),
            std::string::npos);
}

// A backward that writes columns into zeros one by one. Ranks have only some of the columns.
struct ByColumns : torch::autograd::Function<ByColumns> {
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& x) {
    context->save_for_backward({x});
    return x.clone();
  }
  static Tensors backward(torch::autograd::AutogradContext* context, const Tensors& gradients) {
    const auto zeros = at::zeros_like(context->get_saved_variables()[0]);
    zeros.select(-1, 0).copy_(gradients[0].select(-1, 0));
    return {zeros};
  }
};

TEST_F(OnRanks, AFormulaThatWritesOnACopyIsRefused) {
  const auto x = leaves(ranks({2}))[0];
  EXPECT_EQ(placementsOf(ByColumns::apply(x)), "(S(0))");
  ByColumns::apply(x).sum().backward();
  EXPECT_EQ(whole(x.grad()).sum().item<double>(), 4);
  const auto columns = distribute(ranks({2}), kReflections[0], placed({"S(1)"})).requires_grad_();
  EXPECT_NE(refusalOf([&] {
              ByColumns::apply(columns).sum().backward();
            }).find("the formula of a gradient writes"),
            std::string::npos);
}

}  // namespace
}  // namespace shardlens
