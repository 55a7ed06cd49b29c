#include "core/tensor/composed/loss_check.h"

#include "core/base/refusal.h"
#include "core/memory/dtypes.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <fmt/core.h>

namespace shardlens {
namespace {

[[noreturn]] void refuse(const std::string& why) { throw Refusal("cross_entropy: " + why); }

std::string textOf(at::IntArrayRef sizes) { return toText(sizes.vec()); }

void refuseOtherDType(const at::Tensor& logits, const at::Tensor& other) {
  if (other.scalar_type() == logits.scalar_type()) return;
  refuse(std::string("expected scalar type ") + c10::toString(logits.scalar_type()) +
         " but found " + c10::toString(other.scalar_type()));
}

void refuseBadProbabilities(const at::Tensor& logits, const at::Tensor& target,
                            const LossOptions& options) {
  if (!target.is_floating_point()) {
    refuse(std::string("Expected floating point type for target with class probabilities, got ") +
           c10::toString(target.scalar_type()));
  }
  refuseOtherDType(logits, target);
  if (options.ignored >= 0) refuse("ignore_index is not supported for floating point target");
}

void refuseDerivative(const at::Tensor& tensor, const std::string& name) {
  if (!tensor.defined() || !tensor.requires_grad() || !at::GradMode::is_enabled()) return;
  refuse("the derivative for '" + name + "' is not implemented");
}

}  // namespace

void refuseBadLoss(const LossTensors& tensors, const LossOptions& options) {
  const auto& [logits, target, weight] = tensors;
  if (logits.dim() == 0 || !kernelFloats(logits.scalar_type())) {
    refuse(std::string("got logits of ") + c10::toString(logits.scalar_type()) +
           textOf(logits.sizes()) + ", expected fractions, of one dimension at least");
  }
  if (options.smoothing < 0 || options.smoothing > 1) {
    refuse("label_smoothing must be between 0.0 and 1.0. Got: " +
           std::to_string(options.smoothing));
  }
  if (options.probabilities) {
    refuseBadProbabilities(logits, target, options);
  } else if (const Shape rows = withoutClasses(logits.sizes().vec());
             target.sizes() != at::IntArrayRef(rows) &&
             !(logits.dim() == 1 && target.sizes() == at::IntArrayRef{1})) {
    refuse("Expected target size " + toText(rows) + ", got " + textOf(target.sizes()));
  }
  const auto classes = logits.size(classDimOf(logits.dim()));
  if (weight.defined()) {
    if (weight.sizes() != at::IntArrayRef{classes}) {
      refuse(fmt::format(
          "weight tensor should be defined either for all {} classes or no classes but got "
          "weight tensor of shape: {}",
          classes, textOf(weight.sizes())));
    }
    refuseOtherDType(logits, weight);
  }
  refuseDerivative(target, "target");
  refuseDerivative(weight, "weight");
}

}  // namespace shardlens
