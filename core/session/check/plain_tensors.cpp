#include "core/session/check/plain_tensors.h"

#include "core/base/refusal.h"
#include "core/memory/dtypes.h"
#include "core/session/scenario/tensor_literal.h"
#include "core/tensor/dtensor.h"

#include <ATen/ATen.h>

namespace shardlens {
std::string PlainTensors::uncheckedReason(const ScenarioStep& step) {
  const auto call = StepReader(step, {}).call();
  return call == "from_locals" ? kGivenInParts : "";
}

at::Tensor PlainTensors::tensor(const StepReader& step) {
  const auto made = makeDense(step.body(), Data::Made);
  return made.is_view() ? made.clone() : made;  // libtorch refuses detach_() of a view
}

at::Tensor PlainTensors::fromLocals(const StepReader&) { throw Refusal(kGivenInParts); }

at::Tensor PlainTensors::redistribute(const StepReader& step) {
  const auto tensor = step.tensorArg(0);
  const auto [forward, backward] = step.types();
  auto moved = forward ? tensor.to(scalarType(*forward)) : tensor;
  if (moved.is_same(tensor)) moved = keepsPlacements(step) ? tensor.alias() : tensor.clone();
  if (backward && moved.requires_grad()) {
    moved.register_hook([type = scalarType(*backward)](const at::Tensor& gradient) {
      return gradient.to(type).to(gradient.scalar_type());
    });
  }
  return moved;
}

bool PlainTensors::keepsPlacements(const StepReader& step) const {
  const auto sharded = step.after(sharded_);
  const auto tensor = sharded.tensorArg(0);
  const Spec& spec = specOf(tensor);
  return sharded.placements(*spec.mesh, spec.meta.ndim()) == spec.placements;
}

at::Tensor PlainTensors::added(const AddedCall& call, const StepReader& step) {
  return call.plain(step);
}

}  // namespace shardlens
