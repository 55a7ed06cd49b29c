#include "core/base/refusal.h"
#include "core/tensor/dtensor.h"
#include "core/tensor/local/families.h"
#include "core/tensor/local/neutral.h"
#include "core/tensor/values/ivalues.h"

#include <ATen/ATen.h>

namespace shardlens {
namespace {

using Stack = torch::jit::Stack;

// Ranks whose parts hold nothing of what is reduced answer with what changes nothing.
template <class Neutral>
LocalResult reduceParts(const LocalCall& call, Neutral neutral) {
  return collected(call, [&](std::size_t i) {
    auto stack = call.arguments(i);
    stack.front() = mapTensors(stack.front(), [&](const at::Tensor& part) {
      const auto reduced = reducedDims(call.plan.schema, static_cast<int>(part.dim()));
      return withNeutral(part, reduced, neutral(part.scalar_type()));
    });
    call.op.callBoxed(&stack);
    return stack;
  });
}

LocalResult greatest(const LocalCall& call) { return reduceParts(call, leastOf); }
LocalResult least(const LocalCall& call) { return reduceParts(call, greatestOf); }

// Nothing has the norm 0, as has an element 0; of orders below 0, an infinite one.
LocalResult norm(const LocalCall& call) {
  const double order = call.args[1].isNone() ? 2 : call.args[1].toScalar().toDouble();
  return reduceParts(
      call, [&](at::ScalarType type) { return order < 0 ? greatestOf(type) : at::Scalar(0); });
}

// A rank's mean counts as much as the part is large that it is the mean of: together they are the
// average of all ranks' means, whatever their sizes.
LocalResult mean(const LocalCall& call) {
  const auto& schema = call.plan.schema;
  const Spec& input = specOf(call.inputs.front());
  const auto reduced = reducedDims(schema);
  const auto along = [&](at::IntArrayRef shape) {
    double count = 1;
    for (const int dim : reduced.dims) count *= static_cast<double>(shape[dim]);
    return count;
  };
  double ranks = 1;
  for (int dim = 0; dim < input.mesh->ndim(); ++dim) {
    const auto cut = shardedDim(input.placements[static_cast<std::size_t>(dim)]);
    if (cut && reduced.has(*cut)) ranks *= input.mesh->size(dim);
  }
  return collected(call, [&](std::size_t i) {
    const auto& part = call.local(0, i);
    auto stack = call.arguments(i);
    stack.front() = withNeutral(part, reduced, 0);
    call.op.callBoxed(&stack);
    const double weight = along(part.sizes()) * ranks / along(input.meta.shape);
    if (weight != 1) stack.front() = stack.front().toTensor() * weight;
    return stack;
  });
}

void checkNotEmpty(const std::string& name, const at::Tensor& tensor) {
  if (tensor.numel() > 0) return;
  throw Refusal(name +
                "(): Expected reduction dim to be specified for input.numel() == 0. Specify the "
                "reduction dim with the 'dim' argument.");
}

void checkMax(at::ArrayRef<c10::IValue>, const std::vector<at::Tensor>& inputs) {
  checkNotEmpty("max", inputs.front());
}
void checkMin(at::ArrayRef<c10::IValue>, const std::vector<at::Tensor>& inputs) {
  checkNotEmpty("min", inputs.front());
}
void checkEachMax(at::ArrayRef<c10::IValue>, const std::vector<at::Tensor>& inputs) {
  for (const auto& tensor : inputs) checkNotEmpty("max", tensor);
}

}  // namespace

std::vector<NamedKernel> reductionKernels() {
  return {{"aten.amax", {.run = greatest}},
          {"aten.amin", {.run = least}},
          {"aten.max", {.check = checkMax, .run = greatest}},
          {"aten.min", {.check = checkMin, .run = least}},
          {"aten._foreach_max", {.check = checkEachMax, .run = greatest}},
          {"aten.mean", {.run = mean}},
          {"aten.mean.dim", {.run = mean}},
          {"aten.linalg_vector_norm", {.run = norm}},
          {"aten.norm.Scalar", {.run = norm}},
          {"aten.norm.ScalarOpt_dim", {.run = norm}},
          {"aten.norm.ScalarOpt_dtype", {.run = norm}},
          {"aten.norm.ScalarOpt_dim_dtype", {.run = norm}},
          {"aten._foreach_norm.Scalar", {.run = norm}}};
}

}  // namespace shardlens
