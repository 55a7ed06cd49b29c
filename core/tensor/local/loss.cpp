#include "core/tensor/id_check.h"
#include "core/tensor/local/families.h"
#include "core/tensor/loss_layout.h"
#include "core/tensor/refusal.h"

#include <ATen/ATen.h>
#include <ATen/core/Reduction.h>

#include <algorithm>

namespace shardlens {
namespace {

using Args = at::ArrayRef<c10::IValue>;

constexpr std::size_t kReduction = 3;  // among the arguments of nll_loss_forward

void checkTargets(const std::string& name, const at::Tensor& input, const at::Tensor& target,
                  std::int64_t ignored) {
  const bool isImage = input.dim() == 4;
  if (isImage && target.sizes() != at::IntArrayRef(withoutClasses(input.sizes().vec()))) {
    throw Refusal(name + ": size mismatch (got input: " + toText(input.sizes().vec()) +
                  " , target: " + toText(target.sizes().vec()));
  }
  if (!isSharded(target) || input.dim() == 0) return;
  // Terms of classes are none.
  const auto& placements = specOf(target).placements;
  if (std::any_of(placements.begin(), placements.end(), isPartial)) return;
  refuseBadTargets(name, shardedImpl(target), input.size(classDimOf(input.dim())), ignored);
}

void checkForward(Args args, const std::vector<at::Tensor>& inputs) {
  checkTargets("aten.nll_loss_forward", inputs[0], inputs[1], args[4].toInt());
}

void checkBackward(Args args, const std::vector<at::Tensor>& inputs) {
  checkTargets("aten.nll_loss_backward", inputs[1], inputs[2], args[5].toInt());
}

// A rank whose rows are not all there are knows a sum of the losses and of the weights; a mean is
// one sum divided by the other, over the ranks that have the other rows.
LocalResult nllLoss(const LocalCall& call) {
  const LossLayout layout(
      {call.runtime.mesh(), call.plan.propagation.chosen.inputs[0], call.plan.schema.input(0)});
  if (call.args[kReduction].toInt() != at::Reduction::Mean || layout.cutRows.empty()) {
    return runPlain(call);
  }
  Buffers sums;
  for (std::size_t i = 0; i < call.hosted(); ++i) {
    auto stack = call.arguments(i);
    stack[kReduction] = static_cast<std::int64_t>(at::Reduction::Sum);
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
  const LocalKernel forward{.check = checkForward, .run = nllLoss, .sends = true};
  const LocalKernel backward{.check = checkBackward};
  return {{"aten.nll_loss_forward", forward},
          {"aten.nll_loss_backward", backward},
          {"aten.nll_loss2d_forward", forward},
          {"aten.nll_loss2d_backward", backward}};
}

}  // namespace shardlens
