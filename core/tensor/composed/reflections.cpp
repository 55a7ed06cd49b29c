#include "core/tensor/composed/reflections.h"

#include "core/model/shard_geometry.h"
#include "core/tensor/dtensor.h"
#include "core/tensor/redistribute/redistribute.h"
#include "core/tensor/runtime.h"

#include <ATen/ATen.h>
#include <torch/library.h>

#include <algorithm>

namespace shardlens {
namespace {

// Returns true if a rank would have no matrix, which libtorch's formula cannot write on.
bool leavesNone(const Spec& spec, const Placements& target) {
  const auto& ranks = spec.mesh->ranks();
  return std::any_of(ranks.begin(), ranks.end(), [&](int rank) {
    return elementCount(localShape(spec.meta.shape, *spec.mesh, target, rank)) == 0;
  });
}

// Returns the placements with only batch dimensions sharded; the last `ownDims` are the matrix's.
Placements stackOf(const Spec& spec, int ownDims) {
  Placements target = spec.placements;
  for (auto& placement : target) {
    const auto cut = shardedDim(placement);
    if (!cut || *cut >= spec.meta.ndim() - ownDims) placement = Replicate{};
  }
  return leavesNone(spec, target) ? Placements(target.size(), Replicate{}) : target;
}

// Returns the batch placements of the first input that has a sharded batch, else all Replicate. The
// first and third inputs are matrices; the second has one number per reflection.
Placements stackOf(const std::vector<at::Tensor>& inputs) {
  Placements stack;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    stack = stackOf(specOf(inputs[i]), /*ownDims=*/i == 1 ? 1 : 2);
    if (!std::all_of(stack.begin(), stack.end(), isReplicate)) break;
  }
  return stack;
}

at::Tensor moved(const at::Tensor& tensor, const Placements& target) {
  if (specOf(tensor).placements == target) return tensor;
  return redistribute(tensor, target, {}, Verdict::Implicit);
}

// Returns true if libtorch will compute a gradient and inputs may be redistributed.
bool isDifferentiated(const std::vector<at::Tensor>& inputs) {
  const bool wanted = std::any_of(inputs.begin(), inputs.end(),
                                  [](const auto& input) { return input.requires_grad(); });
  if (!at::GradMode::is_enabled() || !wanted) return false;
  return std::all_of(inputs.begin(), inputs.end(), [](const auto& input) {
    return isDTensor(input) &&
           dtensorImpl(input).runtime().options().redistributions != Redistributions::Explicit;
  });
}

void reflected(const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack* stack) {
  const auto arguments = torch::jit::last(*stack, op.schema().arguments().size());
  std::vector<at::Tensor> inputs;
  for (const auto& argument : arguments) {
    if (argument.isTensor()) inputs.push_back(argument.toTensor());
  }
  const bool differentiated = isDifferentiated(inputs);
  const auto target = differentiated ? stackOf(inputs) : Placements();
  for (std::size_t i = 0; i < inputs.size() && differentiated; ++i) {
    torch::jit::peek(*stack, i, arguments.size()) = moved(inputs[i], target);
  }
  // libtorch's autograd kernel is the same for all backends.
  op.redispatchBoxed(
      keys.remove(c10::DispatchKey::AutogradPrivateUse1).add(c10::DispatchKey::AutogradOther),
      stack);
  if (!differentiated) return;
  stack->back().toTensor().register_hook(
      [target](const at::Tensor& gradient) { return moved(gradient, target); });
}

}  // namespace

void registerReflections() {
  static torch::Library library(torch::Library::IMPL, "aten", c10::DispatchKey::AutogradPrivateUse1,
                                __FILE__, __LINE__);
  for (const auto* name : {"linalg_householder_product", "ormqr"}) {
    library.impl(name, torch::CppFunction::makeFromBoxedFunction<&reflected>());
  }
}

}  // namespace shardlens
