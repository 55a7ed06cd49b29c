#include "core/plan/explain.h"

#include "core/model/notation.h"
#include "core/plan/search/min_cost.h"

#include <algorithm>
#include <tuple>

namespace shardlens {
namespace {

class Explainer {
 public:
  Explainer(const CostModel& model, const Spec& current, const Placements& target,
            PartialKind partials)
      : model_(model), current_(current), target_(target), partials_(partials) {}

  PricedPlan priced(std::string name, Plan plan) const {
    PricedPlan result;
    result.name = std::move(name);
    for (const auto& step : plan) {
      result.prices.push_back(priceOf(model_, *current_.mesh, current_.meta, step));
    }
    result.total = priceOf(model_, current_, plan);
    result.collectives = collectiveCount(*current_.mesh, plan);
    result.plan = std::move(plan);
    return result;
  }

  std::vector<PricedPlan> alternativesTo(const Plan& chosen, PlannerKind planner) {
    seen_ = {chosen};
    if (partials_ == PartialKind::OwnedRows) {
      if (auto plan = makePlan(planner, model_, current_, target_)) {
        add("adding partials", std::move(*plan));
      }
    }
    for (const auto kind : {PlannerKind::MinCost, PlannerKind::Greedy, PlannerKind::Decompose}) {
      if (auto plan = makePlan(kind, model_, current_, target_, partials_)) {
        add(std::string(plannerName(kind)), std::move(*plan));
      }
    }
    for (const auto& step : firstSteps(current_, target_)) addThrough(step);
    std::stable_sort(found_.begin(), found_.end(), [](const auto& a, const auto& b) {
      return std::tie(a.total.microseconds, a.collectives) <
             std::tie(b.total.microseconds, b.collectives);
    });
    return std::move(found_);
  }

 private:
  void addThrough(const TransformInfo& step) {
    const Spec next{current_.mesh, step.to, current_.meta};
    const auto rest = makePlan(PlannerKind::MinCost, model_, next, target_);
    if (!rest) return;
    const bool returns = std::any_of(rest->begin(), rest->end(),
                                     [&](const auto& s) { return s.to == current_.placements; });
    if (returns) return;
    Plan plan{step};
    plan.insert(plan.end(), rest->begin(), rest->end());
    if (partials_ == PartialKind::OwnedRows) plan = movingRows(current_, std::move(plan));
    if (add("via " + shortText(step.to), std::move(plan))) found_.back().via = step.to;
  }

  // Returns false if the plan has been added before.
  bool add(std::string name, Plan plan) {
    if (std::find(seen_.begin(), seen_.end(), plan) != seen_.end()) return false;
    seen_.push_back(plan);
    found_.push_back(priced(std::move(name), std::move(plan)));
    return true;
  }

  const CostModel& model_;
  const Spec& current_;
  const Placements& target_;
  PartialKind partials_;
  std::vector<Plan> seen_;
  std::vector<PricedPlan> found_;
};

}  // namespace

Result<Explanation> explain(PlannerKind kind, const CostModel& model, const Spec& current,
                            const Placements& target, PartialKind partials) {
  auto plan = makePlan(kind, model, current, target, partials);
  if (!plan) return tl::unexpected(plan.error());
  Explanation explanation;
  if (kind == PlannerKind::MinCost) {
    const auto greedy = planGreedy(current, target);
    auto found = planMinCost(model, current, target, *greedy);
    explanation.explored = found.explored;
    explanation.caveat = std::move(found.caveat);
  }
  Explainer explainer(model, current, target, partials);
  explanation.alternatives = explainer.alternativesTo(*plan, kind);
  explanation.chosen = explainer.priced(std::string(plannerName(kind)), std::move(*plan));
  return explanation;
}

}  // namespace shardlens
