#include "core/memory/dtypes.h"
#include "core/tensor/dtensor.h"
#include "core/tensor/redistribute/redistribute.h"
#include "core/tensor/runtime.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

namespace shardlens {
namespace {

// Returns the placements of the gradient: the source's, but Replicate for a partial one, because
// every partial value has the gradient of the sum. A gradient with the same partial placement keeps
// it.
Placements gradientPlacements(const Placements& source, const Placements& gradient) {
  Placements target = source;
  for (std::size_t dim = 0; dim < target.size(); ++dim) {
    if (isPartial(target[dim]) && gradient[dim] != target[dim]) target[dim] = Replicate{};
  }
  return target;
}

// Casts the locals. Placements stay the same; a pending result is masked first.
at::Tensor cast(const at::Tensor& tensor, DType dtype) {
  const auto& source = dtensorImpl(tensor);
  if (source.spec().meta.dtype == dtype) return tensor;
  const auto turned = [dtype](Buffers buffers) {
    for (auto& buffer : buffers) buffer = buffer.to(scalarType(dtype));
    return buffers;
  };
  const bool isResult = source.pending() != nullptr && !source.areMaskedIds();
  if (isResult) source.pending()->apply(source.locals(), source.record());
  Spec spec = source.spec();
  spec.meta.dtype = dtype;
  auto result = makeSharded(source.sharedRuntime(), std::move(spec), turned(source.locals()));
  dtensorImpl(result).setPending(source.pending());
  if (source.areMaskedIds()) dtensorImpl(result).setUnmasked(turned(source.unmasked()));
  return result;
}

at::Tensor move(const at::Tensor& tensor, const Placements& target, DType on, DType at,
                Verdict cause);

// Casts to `on`, redistributes, and casts to `at`. Backward does the same with the gradient.
struct Redistribute : torch::autograd::Function<Redistribute> {
  struct Backward : torch::CustomClassHolder {
    Backward(Placements p, DType dtypeOfMove, DType at_, Verdict cause_)
        : source(std::move(p)), on(dtypeOfMove), at(at_), cause(cause_) {}
    Placements source;  // of the input of forward
    DType on;           // in which the gradient is sent
    DType at;           // of the returned gradient
    Verdict cause;
  };

  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& tensor,
                            const Placements& target, DType on, DType at, DType back,
                            Verdict cause) {
    const Spec& source = specOf(tensor);
    context->saved_data["backward"] = c10::IValue::make_capsule(
        c10::make_intrusive<Backward>(source.placements, back, source.meta.dtype, cause));
    return cast(redistributeBelowAutograd(cast(tensor, on), target, cause), at);
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& gradients) {
    const auto saved = context->saved_data["backward"].toCapsule();
    const auto& backward = static_cast<const Backward&>(*saved);
    const at::Tensor none;
    const auto target = gradientPlacements(backward.source, specOf(gradients[0]).placements);
    return {move(gradients[0], target, backward.on, backward.at, backward.cause),
            none,
            none,
            none,
            none,
            none};
  }
};

at::Tensor move(const at::Tensor& tensor, const Placements& target, DType on, DType at,
                Verdict cause) {
  return Redistribute::apply(tensor, target, on, at, on, cause);
}

}  // namespace

at::Tensor redistribute(const at::Tensor& tensor, const Placements& target, RedistributeTypes types,
                        Verdict cause) {
  const DType own = specOf(tensor).meta.dtype;
  const DType forward = types.forward.value_or(own);
  return Redistribute::apply(tensor, target, forward, forward, types.backward.value_or(own), cause);
}

}  // namespace shardlens
