#include "core/plan/merge.h"

#include "core/plan/transitions.h"

#include <algorithm>

namespace shardlens {
namespace {

const Placement& partialOf(const TransformInfo& step) {
  return step.from[static_cast<std::size_t>(step.meshDims.front())];
}

bool reducesPlainly(const Placement& p) {
  return isMaskPartial(p) || (isPartial(p) && partialOp(p) && partialOp(p) != ReduceOp::PremulSum);
}

// Sums and averages are accumulated alike and divided once.
bool addsUp(const Placement& p) {
  return std::holds_alternative<Partial>(p) &&
         (partialOp(p) == ReduceOp::Sum || partialOp(p) == ReduceOp::Avg);
}

bool mayReduceTogether(const Placement& a, const Placement& b) {
  return a == b ? reducesPlainly(a) : addsUp(a) && addsUp(b);
}

bool mayMerge(const TransformInfo& a, const TransformInfo& b, DType dtype) {
  if (a.move != b.move || !isCollective(a.move)) return false;
  if (a.move == Move::AllGather || a.move == Move::AllToAll) return true;
  return mayReduceTogether(partialOf(a), partialOf(b)) && !losesFractions(partialOf(a), dtype) &&
         !losesFractions(partialOf(b), dtype);
}

TransformInfo merge(const TransformInfo& a, const TransformInfo& b) {
  TransformInfo both{{}, a.move, a.from, b.to};
  std::set_union(a.meshDims.begin(), a.meshDims.end(), b.meshDims.begin(), b.meshDims.end(),
                 std::back_inserter(both.meshDims));
  return both;
}

}  // namespace

std::optional<Plan> merged(const CostModel& model, const Spec& current, const Plan& plan) {
  const auto fits = [&](const TransformInfo& a, const TransformInfo& b) {
    return mayMerge(a, b, current.meta.dtype);
  };
  if (std::adjacent_find(plan.begin(), plan.end(), fits) == plan.end()) return std::nullopt;
  const auto microseconds = [&](const TransformInfo& step) {
    return priceOf(model, *current.mesh, current.meta, step).microseconds;
  };
  Plan result;
  for (const auto& step : plan) {
    if (!result.empty() && fits(result.back(), step)) {
      const double before = microseconds(result.back());
      const double after = microseconds(step);
      TransformInfo both = merge(result.back(), step);
      const bool amongSeveral = before > 0 && after > 0;
      if (amongSeveral && microseconds(both) <= before + after) {
        result.back() = std::move(both);
        continue;
      }
    }
    result.push_back(step);
  }
  if (result.size() == plan.size()) return std::nullopt;
  return result;
}

}  // namespace shardlens
