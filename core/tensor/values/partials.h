#pragma once

#include "core/comm/communicator.h"
#include "core/model/mesh.h"

#include <optional>

namespace shardlens {

// How the partial values of a placement are reduced: a map before the reduction, the reduction, and
// a map of the result. For a p-norm: |x|^p, sum, and the p-th root. For sum and avg along several
// mesh dimensions at once: a sum, divided by the product of the averaged sizes.
class PartialArithmetic {
 public:
  // Requires a partial placement.
  explicit PartialArithmetic(const Placement& partial);
  // Returns the arithmetic of Partial(sum) and Partial(avg) that are reduced together. `averaged`
  // is the product of the sizes of the mesh dimensions that average.
  static PartialArithmetic ofSumsAndAverages(int averaged);

  Reduction reduction() const { return reduction_; }
  // Returns the operand of the reduction; the argument itself if there is nothing to do.
  at::Tensor beforeReducing(const at::Tensor& partial) const;
  // Turns the reduced value into the result, in place.
  void afterReducing(const at::Tensor& value) const;
  // Returns true if afterReducing() does nothing.
  bool leavesResult() const { return !power_ && averaged_ == 1; }
  // Returns true if reducing a single partial value returns it unchanged.
  bool keepsSinglePartials() const { return !power_ && reduction_.op != ReduceOp::PremulSum; }

 private:
  Reduction reduction_;
  std::optional<double> power_;
  int averaged_ = 1;
};

// Returns a rank's partial value of a whole tensor: one of `ranks` values that reduce to it. The
// result may be `whole` itself. Under a norm the values reduce to the magnitude, also for negative
// numbers. Their signs are not checked, because a rank sees its own shard only and would throw
// alone.
at::Tensor partialValueOf(const at::Tensor& whole, const Placement& partial, int ranks,
                          int coordinate);

// Returns the local value of a rank that owns `part`: its partial value for each partial placement,
// else `part` itself.
at::Tensor heldOf(at::Tensor part, const DeviceMesh& mesh, const Placements& placements, int rank);

}  // namespace shardlens
