#include "core/tensor/composed/cross_entropy.h"

#include "core/base/refusal.h"
#include "core/model/shard_geometry.h"
#include "core/tensor/composed/loss_check.h"
#include "core/tensor/composed/register_composed.h"
#include "core/tensor/distribute.h"
#include "core/tensor/events/explain.h"
#include "core/tensor/events/single_candidate.h"
#include "core/tensor/id_check.h"
#include "core/tensor/redistribute/redistribute.h"

#include <ATen/ATen.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/Reduction.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>

namespace shardlens {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr const char* kName = "cross_entropy";
constexpr const char* kBackward = "cross_entropy_backward";

Placements whole(const Placements& like) { return Placements(like.size(), Replicate{}); }

bool isWhole(const Placements& placements) {
  return std::all_of(placements.begin(), placements.end(), isReplicate);
}

bool hasPartials(const Placements& placements) {
  return std::any_of(placements.begin(), placements.end(), isPartial);
}

// Redistributes a tensor to `target`. A plain tensor counts as replicated; throws Refusal if
// `target` shards it, because the plain tensor could be meant as a rank's shard.
at::Tensor laid(const std::shared_ptr<Runtime>& runtime, const at::Tensor& tensor,
                const Placements& target) {
  if (isDTensor(tensor)) {
    if (specOf(tensor).placements == target) return tensor;
    return redistributeBelowAutograd(tensor, target, Verdict::Implicit);
  }
  if (!isWhole(target)) {
    throw Refusal(std::string(kName) + ": got a plain tensor, expected a sharded one under " +
                  toText(target));
  }
  return distribute(runtime, tensor, target);
}

// Checks the classes before anything is sent. Partial classes are checked after their reduction.
at::Tensor laidClasses(const LossTensors& tensors, const LossOptions& options,
                       const Placements& rows) {
  const auto& [logits, target, weight] = tensors;
  const auto checked = [&](const at::Tensor& classes) {
    refuseBadTargets(kName, dtensorImpl(classes), logits.size(classDimOf(logits.dim())),
                     options.ignored);
    return classes;
  };
  const auto& runtime = dtensorImpl(logits).sharedRuntime();
  const bool areWhole = isDTensor(target) && !hasPartials(specOf(target).placements);
  return areWhole ? laid(runtime, checked(target), rows) : checked(laid(runtime, target, rows));
}

LossTensors laid(const LossTensors& tensors, const LossOptions& options, const LossLayout& layout) {
  const auto& [logits, target, weight] = tensors;
  const auto& runtime = dtensorImpl(logits).sharedRuntime();
  LossTensors result;
  result.target = options.probabilities ? laid(runtime, target, layout.logits)
                                        : laidClasses(tensors, options, layout.rows);
  if (weight.defined()) result.weight = laid(runtime, weight, whole(layout.logits));
  result.logits = laid(runtime, logits, layout.logits);
  return result;
}

Placements resultPlacements(const LossOptions& options, const LossLayout& layout) {
  if (options.reduction == at::Reduction::None) return layout.rows;
  // The ranks agree on the divisor of a mean, so the result is replicated.
  const bool isAgreed = options.reduction == at::Reduction::Mean && !options.probabilities;
  return isAgreed ? whole(layout.logits) : layout.reduced;
}

// Returns the name of the strategy, by what is sharded.
std::string nameOf(const LossLayout& layout) {
  const auto both = !layout.cutClasses.empty() && !layout.cutRows.empty();
  if (both) return "batch x class-wise";
  return !layout.cutClasses.empty() ? "class-wise" : !layout.cutRows.empty() ? "batch" : "whole";
}

// The reduced losses of the ranks' rows, and for a mean its divisors.
struct Reduced {
  Buffers values;
  Buffers weights;
};

Reduced reduced(const LossTensors& tensors, const LossOptions& options, const LossLayout& layout,
                const Buffers& losses) {
  Reduced result;
  for (const auto& loss : losses) result.values.push_back(loss.sum());
  if (options.reduction != at::Reduction::Mean) return result;
  if (options.probabilities) {
    const auto rows = c10::multiply_integers(withoutClasses(tensors.logits.sizes().vec()));
    for (auto& value : result.values) {
      result.weights.push_back(at::full({}, rows, value.options()));
      value = value / result.weights.back();
    }
    return result;
  }
  Buffers pairs;
  const auto weights = rowWeights(tensors, options);
  for (std::size_t i = 0; i < losses.size(); ++i) {
    pairs.push_back(at::stack({result.values[i], weights[i].sum()}));
  }
  if (!layout.cutRows.empty()) {
    Runtime& runtime = dtensorImpl(tensors.logits).runtime();
    runtime.comm().allReduce(runtime.groups(layout.cutRows).set(), pairs, pairs, {ReduceOp::Sum});
  }
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    result.values[i] = pairs[i][0] / pairs[i][1];
    result.weights.push_back(pairs[i][1]);
  }
  return result;
}

// Creates a sharded tensor with the logits' dtype, and records it with its values.
at::Tensor made(const LossTensors& tensors, Shape shape, const Placements& placements,
                Buffers locals, const std::string& name) {
  const auto& logits = dtensorImpl(tensors.logits);
  const TensorMeta meta{shape, contiguousStrides(shape), logits.spec().meta.dtype};
  const Spec spec{logits.spec().mesh, placements, meta};
  const auto& ranks = logits.runtime().comm().hosted();
  for (std::size_t i = 0; i < locals.size(); ++i) {
    locals[i] = locals[i]
                    .to(tensors.logits.scalar_type())
                    .reshape(localShape(shape, *spec.mesh, placements, ranks[i]));
  }
  auto result = makeSharded(logits.sharedRuntime(), spec, std::move(locals));
  recordResult(result, name);
  return result;
}

struct Kept : torch::CustomClassHolder {
  Kept(LossOptions o, LossLayout l, LossSums s, Buffers w)
      : options(o), layout(std::move(l)), sums(std::move(s)), weights(std::move(w)) {}
  LossOptions options;
  LossLayout layout;
  LossSums sums;
  Buffers weights;
};

struct CrossEntropy : torch::autograd::Function<CrossEntropy> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& logits,
                            const at::Tensor& target, const std::optional<at::Tensor>& weight,
                            const LossOptions& options) {
    const at::AutoDispatchBelowADInplaceOrView below;
    Runtime& runtime = dtensorImpl(logits).runtime();
    LossTensors tensors{logits, target, weight.value_or(at::Tensor())};
    LossLayout layout(specOf(logits));
    noteSingleCandidate(runtime, nameOf(layout),
                        {{logits, layout.logits},
                         {target, options.probabilities ? layout.logits : layout.rows},
                         {tensors.weight, whole(layout.logits)}},
                        resultPlacements(options, layout));
    tensors = laid(tensors, options, layout);

    auto sums = lossSums(tensors, options, layout);
    const auto losses = rowLosses(sums);
    const std::string name = runtime.resultNames().idOr(kName);
    const bool isReduced = options.reduction != at::Reduction::None;
    auto total = isReduced ? reduced(tensors, options, layout, losses) : Reduced{losses, {}};
    auto shape = isReduced ? Shape() : withoutClasses(logits.sizes().vec());
    auto result = made(tensors, std::move(shape), resultPlacements(options, layout),
                       std::move(total.values), name);

    context->save_for_backward({tensors.logits, tensors.target, tensors.weight});
    context->saved_data["kept"] = c10::IValue::make_capsule(c10::make_intrusive<Kept>(
        options, std::move(layout), std::move(sums), std::move(total.weights)));
    return result;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const auto saved = context->get_saved_variables();
    const LossTensors tensors{saved[0], saved[1], saved[2]};
    const auto held = context->saved_data["kept"].toCapsule();
    const auto& kept = static_cast<const Kept&>(*held);
    const at::Tensor none;
    return {
        inOperator(dtensorImpl(tensors.logits).runtime(), kBackward, {gradients[0], tensors.logits},
                   [&] { return gradientOfLogits(gradients[0], tensors, kept); }),
        none, none, none};
  }

 private:
  static at::Tensor gradientOfLogits(const at::Tensor& gradient, const LossTensors& tensors,
                                     const Kept& kept) {
    if (at::GradMode::is_enabled()) {
      throw Refusal(std::string("the derivative for '") + kBackward + "' is not implemented");
    }
    Runtime& runtime = dtensorImpl(tensors.logits).runtime();
    const bool isReduced = kept.options.reduction != at::Reduction::None;
    const auto& rows = kept.layout.rows;
    const Placements needed = isReduced ? whole(rows) : rows;
    noteSingleCandidate(runtime, nameOf(kept.layout),
                        {{gradient, needed}, {tensors.logits, kept.layout.logits}},
                        kept.layout.logits);
    const auto of = laid(dtensorImpl(tensors.logits).sharedRuntime(), gradient, needed);
    Buffers locals = dtensorImpl(of).locals();
    for (std::size_t i = 0; i < locals.size(); ++i) {
      locals[i] = isReduced ? locals[i].reshape({}) : locals[i].flatten();
      if (!kept.weights.empty()) locals[i] = locals[i] / kept.weights[i];
    }
    return made(tensors, tensors.logits.sizes().vec(), kept.layout.logits,
                logitGradients(tensors, kept.options, kept.sums, locals), kBackward);
  }
};

// Returns the runtime of the first sharded tensor. One exists, because libtorch dispatched on it.
Runtime& runtimeOf(const LossTensors& tensors) {
  for (const auto& tensor : {tensors.logits, tensors.target}) {
    if (isDTensor(tensor)) return dtensorImpl(tensor).runtime();
  }
  return dtensorImpl(tensors.weight).runtime();
}

void refuseOtherMesh(const LossTensors& tensors) {
  if (!isDTensor(tensors.logits)) {
    throw Refusal(std::string(kName) + ": got plain logits, expected sharded ones");
  }
  for (const auto& other : {tensors.target, tensors.weight}) {
    if (!isDTensor(other) ||
        &dtensorImpl(other).runtime() == &dtensorImpl(tensors.logits).runtime())
      continue;
    throw Refusal(std::string(kName) + ": Cross device mesh comm not supported yet!");
  }
}

at::Tensor crossEntropy(const at::Tensor& logits, const at::Tensor& target,
                        const std::optional<at::Tensor>& weight, std::int64_t reduction,
                        c10::SymInt ignored, double smoothing) {
  const LossOptions options{reduction, ignored.expect_int(), smoothing,
                            logits.sizes() == target.sizes()};
  const LossTensors tensors{logits, target, weight.value_or(at::Tensor())};
  return inOperator(runtimeOf(tensors), kName, {logits, target, tensors.weight}, [&] {
    refuseOtherMesh(tensors);
    refuseBadLoss(tensors, options);
    return at::Tensor(CrossEntropy::apply(logits, target, weight, options));
  });
}

}  // namespace

void registerCrossEntropy() { registerComposed("cross_entropy_loss", TORCH_FN(crossEntropy)); }

}  // namespace shardlens
