#include "core/base/refusal.h"
#include "core/tensor/id_check.h"
#include "core/tensor/layout/loss_layout.h"
#include "core/tensor/local/expect.h"
#include "core/tensor/local/families.h"

#include <ATen/ATen.h>
#include <ATen/core/Reduction.h>
#include <fmt/core.h>

#include <algorithm>

namespace shardlens {
namespace {

using Args = at::ArrayRef<c10::IValue>;

constexpr std::size_t kReductionArgument = 3;  // among the arguments of nll_loss_forward

void checkTargets(const std::string& name, const at::Tensor& input, const at::Tensor& target,
                  std::int64_t ignored) {
  if (!isDTensor(target) || input.dim() == 0) return;
  // Partial class indices are not checked here: they are no indices before their reduction.
  const auto& placements = specOf(target).placements;
  if (std::any_of(placements.begin(), placements.end(), isPartial)) return;
  refuseBadTargets(name, dtensorImpl(target), input.size(classDimOf(input.dim())), ignored);
}

// self, target, weight, reduction, ignore_index
void checkLossForward(Args args, const std::vector<at::Tensor>& inputs) {
  const std::string name = "aten.nll_loss_forward";
  expectReduction(name, args[3].toInt());
  checkTargets(name, inputs[0], inputs[1], args[4].toInt());
}

// grad_output, self, target, weight, reduction, ignore_index, total_weight
void checkLossBackward(Args args, const std::vector<at::Tensor>& inputs) {
  const std::string name = "aten.nll_loss_backward";
  expectReduction(name, args[4].toInt());
  checkTargets(name, inputs[1], inputs[2], args[5].toInt());
}

// Checked here because no meta function of libtorch checks images.
void checkImages(const std::string& name, const at::Tensor& input, const at::Tensor& target,
                 const c10::IValue& weight) {
  expectDims(name + ": self", input, 4);
  if (target.sizes() != at::IntArrayRef(withoutClasses(input.sizes().vec()))) {
    throw Refusal(name + ": size mismatch (got input: " + toText(input.sizes().vec()) +
                  " , target: " + toText(target.sizes().vec()));
  }
  if (weight.isNone() || !weight.toTensor().defined()) return;
  expectShape(name + ": weight", weight.toTensor(), {input.size(1)});
  expectDType(name + ": weight", weight.toTensor(), input.scalar_type());
}

void checkImagesForward(Args args, const std::vector<at::Tensor>& inputs) {
  checkImages("aten.nll_loss2d_forward", inputs[0], inputs[1], args[2]);
  checkLossForward(args, inputs);
}

void checkImagesBackward(Args args, const std::vector<at::Tensor>& inputs) {
  const std::string name = "aten.nll_loss2d_backward";
  const auto &gradient = inputs[0], &input = inputs[1], &target = inputs[2];
  checkImages(name, input, target, args[3]);
  checkLossBackward(args, inputs);
  if (args[4].toInt() == at::Reduction::None) {
    expectShape(name + ": grad_output", gradient, target.sizes());
  } else {
    expectNumber(name + ": grad_output", gradient);
  }
  expectDType(name + ": grad_output", gradient, input.scalar_type());
  expectNumber(name + ": total_weight", inputs.back());
  expectDType(name + ": total_weight", inputs.back(), input.scalar_type());
}

// If rows are sharded, a mean is the sum of the losses divided by the sum of the weights. Both are
// all-reduced along the mesh dimensions that shard rows.
LocalResult nllLoss(const LocalCall& call) {
  const LossLayout layout(
      {call.runtime.mesh(), call.plan.strategy.inputs[0], call.plan.schema.input(0)});
  if (call.args[kReductionArgument].toInt() != at::Reduction::Mean || layout.cutRows.empty()) {
    return runPlain(call);
  }
  Buffers sums;
  for (std::size_t i = 0; i < call.hosted(); ++i) {
    auto stack = call.arguments(i);
    stack[kReductionArgument] = static_cast<std::int64_t>(at::Reduction::Sum);
    call.op.callBoxed(&stack);
    sums.push_back(at::stack({stack[0].toTensor(), stack[1].toTensor()}));
  }
  const auto& groups = call.runtime.groups(layout.cutRows).set();
  call.runtime.comm().allReduce(groups, sums, sums, {ReduceOp::Sum});
  LocalResult result{{{}, {}}};
  for (const auto& sum : sums) {
    result.outputs[0].push_back(sum[0] / sum[1]);
    result.outputs[1].push_back(sum[1]);
  }
  return result;
}

}  // namespace

std::vector<NamedKernel> lossKernels() {
  const LocalKernel forward{.check = checkLossForward, .run = nllLoss, .runsDry = true};
  LocalKernel forward2d = forward;
  forward2d.check = checkImagesForward;
  return {{"aten.nll_loss_forward", forward},
          {"aten.nll_loss_backward", {.check = checkLossBackward}},
          {"aten.nll_loss2d_forward", forward2d},
          {"aten.nll_loss2d_backward", {.check = checkImagesBackward}}};
}

}  // namespace shardlens
