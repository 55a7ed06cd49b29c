// Compares the loss with the plain one, under all placements of its arguments on small meshes.

#include "core/tensor/layout/loss_layout.h"
#include "core/trace/journal/journal.h"
#include "tests/tensor/ranks.h"

#include <ATen/Parallel.h>
#include <ATen/core/Reduction.h>

#include <limits>
#include <map>

namespace shardlens {
namespace {

constexpr std::int64_t kIgnored = 2;

// One thread, because the tensors are too small for several.
class CrossEntropy : public testing::Test {
 protected:
  CrossEntropy() { at::set_num_threads(1); }
};

struct Loss {
  at::Tensor logits;
  at::Tensor target;
  at::Tensor weight = {};
  std::int64_t reduction = at::Reduction::Mean;
  std::int64_t ignored = -100;
  double smoothing = 0;

  at::Tensor of(const at::Tensor& x, const at::Tensor& t, const at::Tensor& w) const {
    return at::cross_entropy_loss(x, t, w.defined() ? std::optional(w) : std::nullopt, reduction,
                                  ignored, smoothing);
  }
};

at::Tensor logitsOf(at::IntArrayRef shape) { return numbered(shape, 31).sub(15).div(4); }

at::Tensor targetOf(const at::Tensor& logits) {
  auto shape = logits.sizes().vec();
  const auto classDim = logits.dim() > 1 ? 1 : 0;
  shape.erase(shape.begin() + classDim);
  return numbered(shape).to(at::kLong).remainder(logits.size(classDim));
}

std::vector<Placements> layouts(const DeviceMesh& mesh, const at::Tensor& tensor, bool terms) {
  std::vector<Placements> all{{}};
  for (int dim = 0; dim < mesh.ndim(); ++dim) {
    std::vector<Placement> choices{Replicate{}};
    for (int d = 0; d < tensor.dim(); ++d) {
      choices.push_back(Shard{d});
      if (dim + 1 < mesh.ndim()) choices.push_back(StridedShard{d, mesh.size(dim + 1)});
    }
    if (terms) choices.push_back(Partial{});
    std::vector<Placements> longer;
    for (const auto& start : all) {
      for (const auto& choice : choices) {
        longer.push_back(start);
        longer.back().push_back(choice);
      }
    }
    all = std::move(longer);
  }
  return all;
}

struct Expected {
  at::Tensor value;
  at::Tensor gradient;
};

// Returns the plain loss and its gradient. The upstream gradient differs from row to row.
Expected plain(const Loss& loss) {
  const auto x = loss.logits.clone().requires_grad_();
  const auto value = loss.of(x, loss.target, loss.weight);
  value.backward(numbered(value.sizes()).add(1));
  return {value.detach(), x.grad()};
}

// Returns the replicated tensor, and checks that all ranks have the same. It may contain NaN.
at::Tensor held(const at::Tensor& sharded) {
  const Placements whole(specOf(sharded).placements.size(), Replicate{});
  const auto locals = dtensorImpl(redistribute(sharded, whole)).locals();
  for (const auto& local : locals) {
    EXPECT_TRUE(at::allclose(local, locals.front(), 0, 0, /*equal_nan=*/true));
  }
  return locals.front();
}

void expectNear(const at::Tensor& sharded, const at::Tensor& expected) {
  const auto got = held(sharded);
  ASSERT_EQ(got.sizes(), expected.sizes());
  EXPECT_TRUE(at::allclose(got, expected, 1e-5, 1e-6, /*equal_nan=*/true)) << got << "\nexpected\n"
                                                                           << expected;
}

void compare(const std::shared_ptr<Runtime>& runtime, const Loss& loss, const Expected& expected,
             const Placements& logits, const Placements& target) {
  SCOPED_TRACE(toText(logits) + " " + toText(target) + " reduction " +
               std::to_string(loss.reduction) + " smoothing " + std::to_string(loss.smoothing) +
               (loss.weight.defined() ? " weighted" : ""));
  const Placements everywhere(logits.size(), Replicate{});
  const auto x = distribute(runtime, loss.logits, logits).requires_grad_();
  const auto weight =
      loss.weight.defined() ? distribute(runtime, loss.weight, everywhere) : at::Tensor();
  const auto value = loss.of(x, distribute(runtime, loss.target, target), weight);
  value.backward(distribute(runtime, numbered(value.sizes()).add(1), everywhere));
  expectNear(value.detach(), expected.value);
  expectNear(x.grad(), expected.gradient);
}

// Returns one runtime per mesh, so that plans stay cached from one option to the next.
std::shared_ptr<Runtime> sharedRanks(const std::vector<int>& mesh) {
  static std::map<std::vector<int>, std::shared_ptr<Runtime>> all;
  auto& runtime = all[mesh];
  if (runtime == nullptr) runtime = ranks(mesh);
  return runtime;
}

// Compares all placements of the logits, each with one of the target's placements in turn.
void compareAll(const std::vector<int>& mesh, const Loss& loss, bool terms = true) {
  const auto runtime = sharedRanks(mesh);
  const auto targets = layouts(*runtime->mesh(), loss.target, /*terms=*/false);
  const auto expected = plain(loss);
  auto turn = static_cast<std::size_t>(loss.reduction) + (loss.weight.defined() ? 1 : 0);
  for (const auto& logits : layouts(*runtime->mesh(), loss.logits, terms)) {
    compare(runtime, loss, expected, logits, targets[turn++ % targets.size()]);
  }
}

// Calls `attempt` with each combination of the options of a loss.
template <class Try>
void forEachOption(const Loss& loss, Try attempt) {
  const auto classes = loss.logits.size(loss.logits.dim() > 1 ? 1 : 0);
  for (const auto reduction : {at::Reduction::None, at::Reduction::Mean, at::Reduction::Sum}) {
    for (const double smoothing : {0.0, 0.3}) {
      for (const bool weighted : {false, true}) {
        Loss each = loss;
        each.reduction = reduction;
        each.smoothing = smoothing;
        if (weighted) each.weight = numbered({classes}, 5).add(0.5);
        attempt(each);
      }
    }
  }
}

Loss ofClasses(at::IntArrayRef shape) {
  const auto logits = logitsOf(shape);
  return {.logits = logits, .target = targetOf(logits), .ignored = kIgnored};
}

TEST_F(CrossEntropy, OfRowsIsThePlainOneUnderEveryPlacement) {
  forEachOption(ofClasses({5, 7}), [](const Loss& loss) {
    compareAll({2}, loss);
    compareAll({3}, loss);
    compareAll({2, 2}, loss);
  });
  compareAll({3, 2}, ofClasses({7, 13}));
  compareAll({2, 1, 2}, ofClasses({3, 5}), /*terms=*/false);
}

TEST_F(CrossEntropy, RanksWithoutClassesOrRowsAreNoSpecialCase) {
  forEachOption(ofClasses({2, 5}), [](const Loss& loss) { compareAll({4}, loss); });
  forEachOption(ofClasses({1, 3}), [](const Loss& loss) { compareAll({2, 3}, loss, false); });
}

TEST_F(CrossEntropy, OfNoRowsIsThePlainOne) {
  forEachOption(ofClasses({0, 5}), [](const Loss& loss) { compareAll({2}, loss); });
  forEachOption(ofClasses({2, 5, 0}), [](const Loss& loss) { compareAll({2}, loss); });
}

TEST_F(CrossEntropy, TakesLogitsOfAnyNumberOfDimensions) {
  forEachOption(ofClasses({7}), [](const Loss& loss) {
    compareAll({3}, loss);
    compareAll({2, 2}, loss);
  });
  forEachOption(ofClasses({3, 5, 4}), [](const Loss& loss) { compareAll({2, 2}, loss, false); });
  compareAll({2, 2}, ofClasses({2, 5, 3, 2}), /*terms=*/false);
}

TEST_F(CrossEntropy, TakesProbabilitiesOfClasses) {
  for (const auto& shape : std::vector<std::vector<std::int64_t>>{{5, 7}, {4}, {2, 3, 2}, {0, 3}}) {
    const auto logits = logitsOf(shape);
    const Loss loss{.logits = logits,
                    .target = at::softmax(logits.neg().mul(0.7), shape.size() > 1)};
    forEachOption(loss, [](const Loss& each) {
      compareAll({3}, each);
      compareAll({2, 2}, each, /*terms=*/false);
    });
  }
}

TEST_F(CrossEntropy, WhereEveryRowIsIgnored) {
  Loss loss = ofClasses({4, 6});
  loss.target.fill_(kIgnored);
  forEachOption(loss, [](const Loss& each) { compareAll({2, 2}, each, false); });
  loss.target.fill_(-100);
  loss.ignored = -100;
  forEachOption(loss, [](const Loss& each) { compareAll({2}, each, false); });
}

// Rows with impossible classes, large numbers, infinities or NaN.
TEST_F(CrossEntropy, OfLogitsThatAreNotOrdinary) {
  const float infinity = std::numeric_limits<float>::infinity();
  Loss loss = ofClasses({6, 7});
  loss.logits[0].fill_(1e4);
  loss.logits[1].mul_(1e6);
  loss.logits[2].slice(0, 0, 4).fill_(-infinity);
  loss.target[2] = 5;
  loss.logits[3].fill_(-infinity);
  loss.target[3] = 1;
  loss.logits[4][3] = infinity;
  loss.logits[5][0] = std::nan("");
  for (const auto reduction : {at::Reduction::None, at::Reduction::Sum}) {
    loss.reduction = reduction;
    compareAll({2, 2}, loss, /*terms=*/false);
  }
}

TEST_F(CrossEntropy, CalculatesInTheTypeOfItsLogits) {
  for (const auto type : {at::kDouble, at::kHalf, at::kBFloat16}) {
    const auto runtime = ranks({2, 2});
    const auto logits = logitsOf({4, 9}).to(type);
    const auto target = targetOf(logits);
    const auto x = distribute(runtime, logits, placed({"S(0)", "S(1)"})).requires_grad_();
    const auto value = at::cross_entropy_loss(x, distribute(runtime, target, placed({"R", "R"})));
    value.backward();
    const auto exact = logits.to(at::kDouble).requires_grad_();
    const auto expected = at::cross_entropy_loss(exact, target);
    expected.backward();
    const double tolerance = type == at::kDouble ? 1e-12 : 1e-2;
    EXPECT_EQ(value.scalar_type(), type);
    EXPECT_EQ(x.grad().scalar_type(), type);
    EXPECT_TRUE(at::allclose(whole(value.detach()).to(at::kDouble), expected, tolerance));
    EXPECT_TRUE(at::allclose(whole(x.grad()).to(at::kDouble), exact.grad(), tolerance, 1e-3));
  }
}

// Returns the names of the events of a loss and its gradient, without cache lookups and candidates.
std::string recorded(const std::vector<int>& mesh, const Loss& loss, const Placements& logits) {
  const auto runtime = ranks(mesh);
  const Placements everywhere(logits.size(), Replicate{});
  const auto x = distribute(runtime, loss.logits, logits).requires_grad_();
  const auto target = distribute(runtime, loss.target, LossLayout(specOf(x)).rows);
  const auto weight =
      loss.weight.defined() ? distribute(runtime, loss.weight, everywhere) : at::Tensor();
  Journal journal;
  runtime->recorder().addSink(journal);
  loss.of(x, target, weight).backward();
  runtime->recorder().removeSinks();
  std::string text;
  for (EventId id = 1; id <= journal.size(); ++id) {
    const Event& event = journal.at(id);
    if (event.kind == EventKind::CacheLookup || event.kind == EventKind::Candidates) continue;
    text += (text.empty() ? "" : ", ") + std::string(journal.name(event));
  }
  return text;
}

TEST_F(CrossEntropy, AgreesInTwoAllReducesAndItsGradientNeedsNone) {
  const std::string gradient =
      "aten.ones_like, local ones_like, ones_like, cross_entropy_backward, local gradients, "
      "cross_entropy_backward, aten.detach, local detach, detach";
  const Loss loss = ofClasses({4, 8});
  EXPECT_EQ(recorded({2, 2}, loss, placed({"R", "R"})),
            "cross_entropy, local sums of rows, cross_entropy, " + gradient);
  EXPECT_EQ(recorded({2, 2}, loss, placed({"R", "S(0)"})),
            "cross_entropy, local sums of rows, all_reduce, cross_entropy, " + gradient);
  EXPECT_EQ(
      recorded({2, 2}, loss, placed({"S(1)", "S(1)"})),
      "cross_entropy, local sums of rows, all_reduce, all_reduce, cross_entropy, " + gradient);
}

TEST_F(CrossEntropy, HasThePlacementsOfItsLogits) {
  const auto placements = [](std::int64_t reduction, const std::vector<std::string>& logits) {
    Loss loss = ofClasses({4, 8, 3});
    loss.reduction = reduction;
    const auto runtime = ranks(std::vector<int>(logits.size(), 2));
    const Placements everywhere(logits.size(), Replicate{});
    return placementsOf(loss.of(distribute(runtime, loss.logits, placed(logits)),
                                distribute(runtime, loss.target, everywhere), {}));
  };
  EXPECT_EQ(placements(at::Reduction::None, {"S(1)", "R"}), "(R, R)");
  EXPECT_EQ(placements(at::Reduction::None, {"S(0)", "S(1)"}), "(S(0), R)");
  EXPECT_EQ(placements(at::Reduction::None, {"S(2)", "S(1)"}), "(S(1), R)");
  EXPECT_EQ(placements(at::Reduction::None, {"SS(0, 2)", "S(0)"}), "(SS(0, 2), S(0))");
  EXPECT_EQ(placements(at::Reduction::Sum, {"S(0)", "S(1)"}), "(P(sum), R)");
  EXPECT_EQ(placements(at::Reduction::Sum, {"SS(2, 2)", "S(2)"}), "(P(sum), P(sum))");
  EXPECT_EQ(placements(at::Reduction::Sum, {"P(sum)", "S(1)"}), "(R, R)");
  EXPECT_EQ(placements(at::Reduction::Mean, {"S(0)", "S(1)"}), "(R, R)");
}

TEST_F(CrossEntropy, HasNoGradientOfLogitsThatChangedMeanwhile) {
  const Loss loss = ofClasses({4, 6});
  const auto runtime = ranks({2});
  const auto x = distribute(runtime, loss.logits, placed({"S(1)"})).requires_grad_();
  const auto doubled = x * 2;
  const auto value = loss.of(doubled, distribute(runtime, loss.target, placed({"R"})), {});
  at::Tensor(doubled).mul_(2);
  EXPECT_THROW(value.backward(), c10::Error);
}

TEST_F(CrossEntropy, RefusesASecondDerivative) {
  const Loss loss = ofClasses({4, 6});
  const auto runtime = ranks({2});
  const auto x = distribute(runtime, loss.logits, placed({"S(1)"})).requires_grad_();
  const auto value = loss.of(x, distribute(runtime, loss.target, placed({"R"})), {});
  EXPECT_EQ(refusalOf([&] { value.backward({}, /*retain_graph=*/true, /*create_graph=*/true); }),
            "the derivative for 'cross_entropy_backward' is not implemented");
}

// Runs with autograd and below it, in inference mode.
TEST_F(CrossEntropy, NeedsNoGradient) {
  const Loss loss = ofClasses({4, 6});
  const auto runtime = ranks({2});
  const auto x = distribute(runtime, loss.logits, placed({"S(1)"}));
  const auto target = distribute(runtime, loss.target, placed({"R"}));
  const auto expected = plain(loss).value;
  EXPECT_TRUE(at::allclose(whole(loss.of(x, target, {})), expected));
  const c10::InferenceMode inference;
  EXPECT_TRUE(at::allclose(whole(loss.of(x, target, {})), expected));
}

TEST_F(CrossEntropy, AcceptsAPlainTargetIfItMustBeReplicated) {
  const Loss loss = ofClasses({4, 6});
  const auto runtime = ranks({2});
  const auto byClass = distribute(runtime, loss.logits, placed({"S(1)"}));
  EXPECT_TRUE(at::allclose(whole(loss.of(byClass, loss.target, {})), plain(loss).value));
  const auto byRow = distribute(runtime, loss.logits, placed({"S(0)"}));
  EXPECT_EQ(refusalOf([&] { loss.of(byRow, loss.target, {}); }),
            "cross_entropy: got a plain tensor, expected a sharded one under (S(0))");
}

TEST_F(CrossEntropy, RefusesTargetsThatAreNoClassHoweverTheyLie) {
  const auto runtime = ranks({2, 2});
  for (const auto* logits : {"R", "S(0)", "S(1)"}) {
    for (const auto* target : {"R", "S(0)"}) {
      Loss loss = ofClasses({4, 6});
      const auto x = distribute(runtime, loss.logits, placed({"R", logits}));
      const auto refusal = [&](std::int64_t wrong) {
        loss.target[3] = wrong;
        const auto t = distribute(runtime, loss.target, placed({target, "R"}));
        return refusalOf([&] { loss.of(x, t, {}); });
      };
      const std::string where = " is out of bounds at position [3], expected 0 to 5, or 2 to be ";
      EXPECT_EQ(refusal(6), "cross_entropy: Target 6" + where + "ignored");
      EXPECT_EQ(refusal(-1), "cross_entropy: Target -1" + where + "ignored");
      EXPECT_EQ(refusal(5), "nothing was refused");
    }
  }
}

TEST_F(CrossEntropy, RefusesMismatchedArguments) {
  const auto runtime = ranks({2});
  const auto lay = [&](const at::Tensor& tensor) {
    return distribute(runtime, tensor, placed({"R"}));
  };
  const auto refusal = [&](const at::Tensor& x, const at::Tensor& t, const at::Tensor& w = {}) {
    return refusalOf(
        [&] { at::cross_entropy_loss(lay(x), lay(t), w.defined() ? std::optional(lay(w)) : w); });
  };
  const auto x = logitsOf({3, 5});
  const auto t = targetOf(x);
  EXPECT_EQ(refusal(x, ids({1, 2})), "cross_entropy: Expected target size [3], got [2]");
  EXPECT_EQ(refusal(x, t.to(at::kFloat)),
            "cross_entropy: target: got ids of float32, expected int64 or int32");
  EXPECT_EQ(refusal(x, at::zeros({3, 5}, at::kLong)),
            "cross_entropy: Expected floating point type for target with class probabilities, "
            "got Long");
  EXPECT_EQ(refusal(x, t, at::ones({4})),
            "cross_entropy: weight tensor should be defined either for all 5 classes or no classes "
            "but got weight tensor of shape: [4]");
  EXPECT_EQ(refusal(x, t, at::ones({5}, at::kDouble)),
            "cross_entropy: expected scalar type Float but found Double");
  EXPECT_EQ(refusal(x.to(at::kLong), t),
            "cross_entropy: got logits of Long[3, 5], expected fractions, of one dimension at "
            "least");
  EXPECT_EQ(refusalOf([&] {
              at::cross_entropy_loss(lay(x), lay(t), std::nullopt, at::Reduction::Mean, -100, 1.5);
            }),
            "cross_entropy: label_smoothing must be between 0.0 and 1.0. Got: 1.500000");
  EXPECT_EQ(refusalOf([&] {
              at::cross_entropy_loss(lay(x), lay(t), lay(at::ones({5})).requires_grad_());
            }),
            "cross_entropy: the derivative for 'weight' is not implemented");
  const auto other = distribute(ranks({2}), t, placed({"R"}));
  EXPECT_EQ(refusalOf([&] { at::cross_entropy_loss(lay(x), other); }),
            "cross_entropy: Cross device mesh comm not supported yet!");
}

}  // namespace
}  // namespace shardlens
