#include "core/tensor/dtensor.h"
#include "core/tensor/local/families.h"
#include "core/tensor/values/partials.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace shardlens {
namespace {

// Returns the value to fill with, as a 0-dim tensor of the dtype of the filled one.
at::Tensor filler(const LocalCall& call, std::size_t i) {
  const auto dtype = call.inputs[0].scalar_type();
  const auto& value = call.args[1];
  return value.isTensor() ? call.local(1, i).to(dtype) : at::scalar_tensor(value.toScalar(), dtype);
}

// Partial locals are filled with partial values of the filler.
LocalResult fill(const LocalCall& call) {
  const auto& placements = call.plan.outputs.front()->spec.placements;
  if (std::none_of(placements.begin(), placements.end(), isPartial)) return runPlain(call);
  for (std::size_t i = 0; i < call.hosted(); ++i) {
    const int rank = call.runtime.comm().hosted()[i];
    call.local(0, i).fill_(heldOf(filler(call, i), *call.runtime.mesh(), placements, rank));
  }
  return {};
}

}  // namespace

std::vector<NamedKernel> factoryKernels() {
  return {{"aten.fill_.Scalar", {.run = fill}}, {"aten.fill_.Tensor", {.run = fill}}};
}

}  // namespace shardlens
