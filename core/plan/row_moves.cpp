#include "core/plan/row_moves.h"

#include "core/plan/cost.h"

#include <algorithm>

namespace shardlens {
namespace {

std::vector<int> maskedDims(const Placements& placements) {
  std::vector<int> dims;
  for (std::size_t dim = 0; dim < placements.size(); ++dim) {
    if (isMaskPartial(placements[dim])) dims.push_back(static_cast<int>(dim));
  }
  return dims;
}

}  // namespace

Plan movingRows(const Spec& current, Plan plan) {
  const auto dims = maskedDims(current.placements);
  if (plan.empty() || plan.front().meshDims != dims || groupSize(*current.mesh, dims) == 1) {
    return plan;
  }
  const auto collectives = std::count_if(plan.begin(), plan.end(),
                                         [](const auto& step) { return isCollective(step.move); });
  if (collectives != 1) return plan;
  Move& move = plan.front().move;
  if (move == Move::AllReduce) move = Move::AllGatherRows;
  if (move == Move::ReduceScatter) move = Move::AllToAllRows;
  return plan;
}

bool isWorthMovingRows(const Spec& result) {
  constexpr std::int64_t kLeastBytesPerRank = std::int64_t{16} << 10;
  return !maskedDims(result.placements).empty() &&
         elementCount(result.meta.shape) * dtypeSize(result.meta.dtype) >=
             kLeastBytesPerRank * result.mesh->size();
}

}  // namespace shardlens
