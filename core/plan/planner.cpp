#include "core/plan/planner.h"

#include "core/model/notation.h"
#include "core/plan/choice.h"
#include "core/plan/search/min_cost.h"

#include <array>

namespace shardlens {
std::string_view plannerName(PlannerKind kind) {
  constexpr std::array<std::string_view, 3> kNames = {"min-cost", "greedy", "decompose"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::optional<PlannerKind> parsePlanner(std::string_view name) {
  for (const auto kind : {PlannerKind::MinCost, PlannerKind::Greedy, PlannerKind::Decompose}) {
    if (name == plannerName(kind)) return kind;
  }
  return std::nullopt;
}

namespace {

Result<Plan> planOfKind(PlannerKind kind, const CostModel& model, const Spec& current,
                        const Placements& target) {
  if (kind == PlannerKind::Decompose) return planDecomposed(current, target);
  auto greedy = planGreedy(current, target);
  if (!greedy || kind == PlannerKind::Greedy) return greedy;
  if (greedy->size() < 2) return greedy;
  return cheapest(model, current, *greedy, planMinCost(model, current, target, *greedy).plan);
}

}  // namespace

Result<Plan> makePlan(PlannerKind kind, const CostModel& model, const Spec& current,
                      const Placements& target, PartialKind partials) {
  auto plan = planOfKind(kind, model, current, target);
  if (plan && partials == PartialKind::OwnedRows) return movingRows(current, std::move(*plan));
  return plan;
}

Route routeOf(const Placements& start, const Plan& plan) {
  Route route{start};
  for (const auto& step : plan) route.push_back(step.to);
  return route;
}

std::string toText(const Placements& start, const Plan& plan) {
  return routeText(routeOf(start, plan));
}

}  // namespace shardlens
