#include "core/base/refusal.h"
#include "core/model/shard_geometry.h"
#include "core/tensor/dtensor.h"
#include "core/tensor/local/families.h"
#include "core/tensor/local/neutral.h"
#include "core/tensor/values/ivalues.h"

#include <ATen/ATen.h>

namespace shardlens {
namespace {

using Stack = torch::jit::Stack;

// Ranks whose parts are empty along the reduced dimensions contribute a neutral value.
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

// The norm of an empty part is 0; for orders below 0 the neutral value is infinity.
LocalResult norm(const LocalCall& call) {
  const double order = call.args[1].isNone() ? 2 : call.args[1].toScalar().toDouble();
  return reduceParts(
      call, [&](at::ScalarType type) { return order < 0 ? greatestOf(type) : at::Scalar(0); });
}

// The minimum and the maximum of an empty part have different neutral values.
LocalResult extremes(const LocalCall& call) {
  const auto reduced = reducedDims(call.plan.schema);
  const std::vector<std::int64_t> dims(reduced.dims.begin(), reduced.dims.end());
  return collected(call, [&](std::size_t i) {
    const auto& part = call.local(0, i);
    const auto type = part.scalar_type();
    const auto forLeast = withNeutral(part, reduced, greatestOf(type));
    if (forLeast.is_same(part)) return call.runPlain(i);
    const auto forGreatest = withNeutral(part, reduced, leastOf(type));
    return Stack{at::amin(forLeast, dims, reduced.kept), at::amax(forGreatest, dims, reduced.kept)};
  });
}

// As norm(), of the difference.
LocalResult distance(const LocalCall& call) {
  const double order = call.args[2].toScalar().toDouble();
  return collected(call, [&](std::size_t i) {
    const at::Tensor difference = call.local(0, i) - call.local(1, i);
    ReducedDims all;
    for (int dim = 0; dim < difference.dim(); ++dim) all.dims.push_back(dim);
    const auto nothing = order < 0 ? greatestOf(difference.scalar_type()) : at::Scalar(0);
    return Stack{at::norm(withNeutral(difference, all, nothing), call.args[2].toScalar())};
  });
}

// Returns the sum of the elements of the whole diagonal that are in this part.
at::Tensor sumOfDiagonal(const at::Tensor& part, const Block& owned) {
  at::Tensor sum = part.slice(0, 0, 0).sum();
  std::int64_t row = 0;
  for (const auto& rows : owned[0]) {
    std::int64_t column = 0;
    for (const auto& columns : owned[1]) {
      const auto begin = std::max(rows.begin, columns.begin);
      const auto end = std::min(rows.begin + rows.length, columns.begin + columns.length);
      if (begin < end) {
        const auto fromRow = row + begin - rows.begin, fromColumn = column + begin - columns.begin;
        const auto crossed = part.slice(0, fromRow, fromRow + end - begin)
                                 .slice(1, fromColumn, fromColumn + end - begin);
        sum = sum + crossed.diagonal().sum();
      }
      column += columns.length;
    }
    row += rows.length;
  }
  return sum;
}

LocalResult trace(const LocalCall& call) {
  const auto& shape = call.plan.schema.input(0).shape;
  const auto& placements = call.plan.strategy.inputs.front();
  return collected(call, [&](std::size_t i) {
    const auto& part = call.local(0, i);
    if (part.sizes() == at::IntArrayRef(shape)) return call.runPlain(i);
    const int rank = call.runtime.comm().hosted()[i];
    return Stack{sumOfDiagonal(part, ownedRuns(shape, *call.runtime.mesh(), placements, rank))};
  });
}

// Weights each rank's mean by the size of its part, so that the average over the ranks is the mean
// of the whole.
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
          {"aten.aminmax", {.run = extremes}},
          {"aten.dist", {.run = distance}},
          {"aten.max", {.check = checkMax, .run = greatest}},
          {"aten.min", {.check = checkMin, .run = least}},
          {"aten._foreach_max", {.check = checkEachMax, .run = greatest}},
          {"aten.trace", {.run = trace}},
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
