#pragma once

#include "core/comm/communicator.h"
#include "core/model/mesh.h"

#include <optional>

namespace shardlens {

// How terms under a placement become their value: what is done to each before it is reduced, the
// reduction, and what is done to the result. A norm's terms lose their signs and are raised to a
// power, added, and the root is drawn. Terms of sums and averages at once are added up, and divided
// by how many are averaged.
class TermArithmetic {
 public:
  explicit TermArithmetic(const Placement& partial);
  static TermArithmetic ofSumsAndAverages(int averaged);

  Reduction reduction() const { return reduction_; }
  // The term itself where nothing is to be done.
  at::Tensor beforeReducing(const at::Tensor& term) const;
  void afterReducing(const at::Tensor& value) const;
  bool leavesResult() const { return !power_ && averaged_ == 1; }
  bool keepsSingleTerms() const { return !power_ && reduction_.op != ReduceOp::PremulSum; }

 private:
  Reduction reduction_;
  std::optional<double> power_;
  int averaged_ = 1;
};

// The part of a replicated tensor that is a rank's under such a placement: a term of it. A norm's
// terms are of what a norm gives: of negative numbers they reduce to the magnitude. Nothing looks
// at that, since a rank sees its own part only and would refuse alone.
at::Tensor termOf(const at::Tensor& whole, const Placement& partial, int ranks, int coordinate);

// What a rank holds of its part of a tensor: under a partial placement, a term.
at::Tensor heldOf(at::Tensor part, const DeviceMesh& mesh, const Placements& placements, int rank);

}  // namespace shardlens
