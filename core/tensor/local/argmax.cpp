#include "core/model/shard_geometry.h"
#include "core/tensor/dtensor.h"
#include "core/tensor/local/families.h"
#include "core/tensor/local/neutral.h"

#include <ATen/ATen.h>

#include <limits>

namespace shardlens {
namespace {

constexpr auto kNowhere = std::numeric_limits<std::int64_t>::max();

// Returns the global index of each local index along a dimension.
at::Tensor positionsOf(const Runs& runs, const at::Tensor& like) {
  std::vector<at::Tensor> stretches;
  const auto options = like.options().dtype(at::kLong);
  for (const auto& run : runs) {
    stretches.push_back(at::arange(run.begin, run.begin + run.length, options));
  }
  return stretches.empty() ? at::empty({0}, options) : at::cat(stretches);
}

// Converts indices into a rank's part to indices into the whole tensor. Both count through the
// reduced dimensions in row-major order.
at::Tensor globalIndices(at::Tensor local, const at::Tensor& part, const ReducedDims& reduced,
                         const Shape& whole, const Block& owned) {
  auto global = at::zeros_like(local);
  std::int64_t stride = 1;
  for (auto dim = reduced.dims.rbegin(); dim != reduced.dims.rend(); ++dim) {
    const auto at = static_cast<std::size_t>(*dim);
    const auto positions = positionsOf(owned[at], local);
    global += positions.take(local.remainder(part.size(*dim))) * stride;
    local = local.div(part.size(*dim), "floor");
    stride *= whole[at];
  }
  return global;
}

// argmax or argmin over sharded dimensions: each rank finds its best value, and the ranks agree on
// the best one of all.
class Agreement {
 public:
  Agreement(const LocalCall& call, bool greatest)
      : call_(call),
        spec_(specOf(call.inputs.front())),
        reduced_(reducedDims(call.plan.schema)),
        greatest_(greatest) {}

  LocalResult run() {
    for (int dim = 0; dim < spec_.mesh->ndim(); ++dim) {
      const auto cut = shardedDim(spec_.placements[static_cast<std::size_t>(dim)]);
      if (cut && reduced_.has(*cut)) meshDims_.push_back(dim);
    }
    if (meshDims_.empty()) return runPlain(call_);
    for (std::size_t i = 0; i < call_.hosted(); ++i) findBest(i);
    const BufferLists values = gathered(values_), indices = gathered(indices_);
    LocalResult result{{Buffers()}};
    for (std::size_t i = 0; i < call_.hosted(); ++i) {
      result.outputs.front().push_back(firstBest(at::stack(values[i]), at::stack(indices[i])));
    }
    return result;
  }

 private:
  at::Tensor best(const at::Tensor& values, at::IntArrayRef dims, bool keep) const {
    return greatest_ ? at::amax(values, dims, keep) : at::amin(values, dims, keep);
  }

  // Finds the best value and index of a rank's part. An empty part gives the worst value and
  // kNowhere.
  void findBest(std::size_t i) {
    const auto& part = call_.local(0, i);
    if (part.is_meta()) {  // the same sizes are sent with data
      const auto& shape = call_.plan.outputs.front()->localShapes[i];
      values_.push_back(at::empty(shape, part.options()));
      indices_.push_back(at::empty(shape, part.options().dtype(at::kLong)));
      return;
    }
    const auto type = part.scalar_type();
    const auto filled = withNeutral(part, reduced_, greatest_ ? leastOf(type) : greatestOf(type));
    const std::vector<std::int64_t> dims(reduced_.dims.begin(), reduced_.dims.end());
    values_.push_back(best(filled, dims, reduced_.kept));
    if (!filled.is_same(part)) {
      indices_.push_back(at::full_like(values_.back(), kNowhere, at::kLong));
      return;
    }
    const auto owned = ownedRuns(spec_.meta.shape, *spec_.mesh, spec_.placements,
                                 call_.runtime.comm().hosted()[i]);
    const auto local = call_.runPlain(i).front().toTensor();
    indices_.push_back(globalIndices(local, part, reduced_, spec_.meta.shape, owned));
  }

  BufferLists gathered(const Buffers& buffers) const {
    const auto& groups = call_.runtime.groups(meshDims_);
    BufferLists into;
    for (const auto& buffer : buffers) {
      auto& received = into.emplace_back();
      for (int member = 0; member < groups.groupSize(); ++member) {
        received.push_back(at::empty_like(buffer));
      }
    }
    call_.runtime.comm().allGather(groups.set(), buffers, into);
    return into;
  }

  // Returns the first index in the whole tensor among equal values. NaN is better than any number.
  at::Tensor firstBest(const at::Tensor& values, const at::Tensor& indices) const {
    if (values.is_meta()) return indices.select(0, 0);
    const auto chosen = best(values, {0}, /*keep=*/true);
    const auto isBest = (values == chosen).logical_or_(values.isnan().logical_and_(chosen.isnan()));
    return at::where(isBest, indices, kNowhere).amin({0});
  }

  const LocalCall& call_;
  const Spec& spec_;
  ReducedDims reduced_;
  bool greatest_;
  std::vector<int> meshDims_;  // those that shard reduced dimensions
  Buffers values_, indices_;   // the best of each hosted rank's part
};

LocalResult argmax(const LocalCall& call) { return Agreement(call, /*greatest=*/true).run(); }
LocalResult argmin(const LocalCall& call) { return Agreement(call, /*greatest=*/false).run(); }

}  // namespace

std::vector<NamedKernel> argmaxKernels() {
  return {{"aten.argmax", {.run = argmax, .runsDry = true}},
          {"aten.argmin", {.run = argmin, .runsDry = true}}};
}

}  // namespace shardlens
