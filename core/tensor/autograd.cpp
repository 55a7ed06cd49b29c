#include "core/tensor/redistribute.h"
#include "core/tensor/sharded_tensor.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

namespace shardlens {
namespace {

// A gradient lies as its tensor does, but whole where the tensor is a term: every rank's term gets
// the gradient of the sum.
Placements gradientPlacements(const Placements& placements) {
  Placements gradient = placements;
  for (auto& placement : gradient) {
    if (isPartial(placement)) placement = Replicate{};
  }
  return gradient;
}

struct Redistribute : torch::autograd::Function<Redistribute> {
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& tensor,
                            const Placements& target) {
    context->saved_data["source"] =
        c10::IValue::make_capsule(c10::make_intrusive<HeldPlacements>(specOf(tensor).placements));
    return redistributeBelowAutograd(tensor, target, Verdict::Explicit);
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& gradients) {
    const auto held = context->saved_data["source"].toCapsule();
    const auto& source = static_cast<const HeldPlacements&>(*held).placements;
    return {redistribute(gradients[0], gradientPlacements(source)), at::Tensor()};
  }

  struct HeldPlacements : torch::CustomClassHolder {
    explicit HeldPlacements(Placements p) : placements(std::move(p)) {}
    Placements placements;
  };
};

}  // namespace

at::Tensor redistribute(const at::Tensor& tensor, const Placements& target) {
  return Redistribute::apply(tensor, target);
}

}  // namespace shardlens
