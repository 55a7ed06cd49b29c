#include "core/base/refusal.h"
#include "core/tensor/dtensor.h"
#include "core/tensor/local/expect.h"
#include "core/tensor/local/families.h"

#include <ATen/ATen.h>
#include <ATen/ExpandUtils.h>
#include <ATen/core/Reduction.h>

namespace shardlens {
namespace {

using Args = at::ArrayRef<c10::IValue>;
using Tensors = std::vector<at::Tensor>;

std::size_t reductionArg(const c10::OperatorHandle& op) {
  return static_cast<std::size_t>(*op.schema().argumentIndexWithName("reduction"));
}

std::int64_t reductionOf(const LocalCall& call) { return call.args[reductionArg(call.op)].toInt(); }

// Returns the number of losses in a mean, from the inputs.
using Count = std::int64_t (*)(const Tensors&);

std::int64_t elements(const Tensors& inputs) {
  std::vector<std::int64_t> shape;
  for (const auto& input : inputs) shape = at::infer_size(shape, input.sizes());
  return c10::multiply_integers(shape);
}

std::int64_t rowsOf(const at::Tensor& x) { return x.dim() < 2 ? 1 : x.size(0); }
std::int64_t rows(const Tensors& inputs) { return rowsOf(inputs[0]); }

// The divisors of a gradient, which has the gradient before the input.
std::int64_t elementsOfSecond(const Tensors& inputs) { return inputs[1].numel(); }
std::int64_t rowsOfSecond(const Tensors& inputs) { return rowsOf(inputs[1]); }

Tensors partsOf(const LocalCall& call, std::size_t i) {
  Tensors parts;
  for (std::size_t k = 0; k < call.inputs.size(); ++k) parts.push_back(call.local(k, i));
  return parts;
}

// Returns the number of ranks whose means are averaged.
double averaged(const LocalCall& call) {
  const Spec& loss = call.plan.outputs.front()->spec;
  double ranks = 1;
  for (int dim = 0; dim < loss.mesh->ndim(); ++dim) {
    if (isPartial(loss.placements[static_cast<std::size_t>(dim)])) ranks *= loss.mesh->size(dim);
  }
  return ranks;
}

torch::jit::Stack reducedBy(at::Reduction::Reduction reduction, const LocalCall& call,
                            std::size_t i) {
  auto stack = call.arguments(i);
  stack[reductionArg(call.op)] = static_cast<std::int64_t>(reduction);
  call.op.callBoxed(&stack);
  return stack;
}

// The mean of nothing is NaN, and not all of libtorch's kernels write its sum.
torch::jit::Stack ofNothing(const LocalCall& call, std::size_t i) {
  auto stack = reducedBy(at::Reduction::None, call, i);
  stack.front() = stack.front().toTensor().sum();
  return stack;
}

// Weights each rank's mean by its number of losses.
template <Count count>
LocalResult loss(const LocalCall& call) {
  const bool isMean = reductionOf(call) == at::Reduction::Mean;
  const auto whole = count(call.inputs);
  if (reductionOf(call) == at::Reduction::None || whole == 0) return runPlain(call);
  const double ranks = averaged(call);
  return collected(call, [&](std::size_t i) {
    const auto own = count(partsOf(call, i));
    auto stack = own == 0 ? ofNothing(call, i) : call.runPlain(i);
    if (!isMean) return stack;
    const double weight = static_cast<double>(own) * ranks / static_cast<double>(whole);
    if (weight != 1) stack.front() = stack.front().toTensor() * weight;
    return stack;
  });
}

// Throws on all ranks if libtorch refuses a value on one.
template <Count count>
LocalResult checkedLoss(const LocalCall& call) {
  return allOrNone(call, [&] { return loss<count>(call); });
}

// The gradient of a mean is the gradient of the sum, divided by the count on all ranks.
template <Count count>
LocalResult gradient(const LocalCall& call) {
  if (reductionOf(call) != at::Reduction::Mean) return runPlain(call);
  const auto whole = count(call.inputs);
  return collected(call, [&](std::size_t i) {
    if (count(partsOf(call, i)) == whole) return call.runPlain(i);
    auto stack = reducedBy(at::Reduction::Sum, call, i);
    stack.front() = stack.front().toTensor() / static_cast<double>(whole);
    return stack;
  });
}

// self, target, weight, reduction: libtorch's broadcasting would ignore dimensions of size one,
// also of locals.
void checkCrossEntropy(Args args, const Tensors& inputs) {
  const std::string name = "aten.binary_cross_entropy";
  expectReduction(name, args[3].toInt());
  expectShape(name + ": target", inputs[1], inputs[0].sizes());
  expectDType(name + ": target", inputs[1], inputs[0].scalar_type());
  if (inputs.size() > 2) {
    elements(inputs);
    expectDType(name + ": weight", inputs[2], inputs[0].scalar_type());
  }
}

// self, target, reduction, delta
void checkHuber(Args args, const Tensors& inputs) {
  expectReduction("aten.huber_loss", args[2].toInt());
  elements(inputs);
  expectDType("aten.huber_loss: target", inputs[1], inputs[0].scalar_type());
}

// self, target, weight, pos_weight, reduction
void checkWithLogits(Args args, const Tensors& inputs) {
  const std::string name = "aten.binary_cross_entropy_with_logits";
  expectReduction(name, args[4].toInt());
  expectShape(name + ": target", inputs[1], inputs[0].sizes());
  elements(inputs);
  for (const auto& input : inputs) expectDType(name, input, inputs[0].scalar_type());
}

template <int kPointwiseReduction>
void checkReduction(Args args, const Tensors&) {
  expectReduction("loss", args[kPointwiseReduction].toInt());
}

// grad_output, self, target, reduction, beta: integers would be divided by a beta of 0.
void checkSmoothBackward(Args, const Tensors& inputs) {
  for (const auto& input : inputs) {
    if (!at::isIntegralType(input.scalar_type(), /*includeBool=*/true)) continue;
    throw Refusal(std::string("aten.smooth_l1_loss_backward: got ") +
                  c10::toString(input.scalar_type()) + ", expected floating-point numbers");
  }
}

}  // namespace

std::vector<NamedKernel> pointwiseLossKernels() {
  std::vector<NamedKernel> kernels = {
      {"aten.binary_cross_entropy", {.check = checkCrossEntropy, .run = checkedLoss<elements>}},
      {"aten.binary_cross_entropy_with_logits", {.check = checkWithLogits, .run = loss<elements>}},
      {"aten.huber_loss", {.check = checkHuber, .run = loss<elements>}},
      {"aten.mse_loss", {.check = checkReduction<2>, .run = loss<elements>}},
      {"aten.smooth_l1_loss", {.check = checkReduction<2>, .run = loss<elements>}},
      {"aten.soft_margin_loss", {.check = checkReduction<2>, .run = loss<elements>}},
      {"aten.multi_margin_loss", {.check = checkReduction<5>, .run = checkedLoss<rows>}},
      {"aten.multilabel_margin_loss_forward",
       {.check = checkReduction<2>, .run = checkedLoss<rows>}}};
  for (const auto* name : {"aten.binary_cross_entropy_backward", "aten.huber_loss_backward",
                           "aten.mse_loss_backward", "aten.soft_margin_loss_backward"}) {
    kernels.push_back({name, {.run = gradient<elementsOfSecond>}});
  }
  for (const auto* name :
       {"aten.multi_margin_loss_backward", "aten.multilabel_margin_loss_backward"}) {
    kernels.push_back({name, {.run = gradient<rowsOfSecond>}});
  }
  kernels.push_back({"aten.smooth_l1_loss_backward",
                     {.check = checkSmoothBackward, .run = gradient<elementsOfSecond>}});
  kernels.push_back({"aten.smooth_l1_loss_backward.grad_input", {.check = checkSmoothBackward}});
  return kernels;
}

}  // namespace shardlens
