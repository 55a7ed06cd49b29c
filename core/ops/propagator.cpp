#include "core/ops/propagator.h"

#include "core/ops/foreach.h"
#include "core/ops/pricing.h"
#include "core/ops/search.h"

#include <algorithm>
#include <map>
#include <set>

namespace shardlens {
namespace {

tl::unexpected<Error> noneLeft(const OpSchema& call, bool blockedInPlace) {
  if (!blockedInPlace) {
    return fail(call.name + ": no valid sharding strategy for the input placements.");
  }
  return fail(call.name +
              ": in-place operations that require placement changes are not supported. The input "
              "has placement " +
              toText(call.inputs[call.written.front()].placements) +
              ", but no valid strategy preserves this placement. Please use the out-of-place "
              "version of this operation instead.");
}

std::vector<OpStrategy> pricedStrategies(const OpSchema& call, const Rule& rule, Pricing& pricing) {
  std::vector<OpStrategy> strategies;
  for (auto& strategy : rule.fullMeshStrategies(call)) {
    if (auto priced = pricing.priced(std::move(strategy))) strategies.push_back(std::move(*priced));
  }
  const auto rank = [&](const auto& strategy) {
    return movesNothing(strategy, call) ? -1.0 : strategy.cost;
  };
  std::stable_sort(strategies.begin(), strategies.end(),
                   [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
  return strategies;
}

// Returns the rule's strategies that leave these inputs replicated.
std::vector<SingleDimStrategy> strategiesKeeping(const OpSchema& call, const Rule& rule,
                                                 const std::vector<std::size_t>& replicated) {
  auto strategies = rule.singleDimStrategies(call);
  std::erase_if(strategies, [&](const SingleDimStrategy& strategy) {
    return std::any_of(replicated.begin(), replicated.end(),
                       [&](std::size_t input) { return !isReplicate(strategy.inputs[input]); });
  });
  return strategies;
}

Result<Propagation> propagateOne(const OpSchema& call, const Rule& rule, const CostModel& model,
                                 Reasons reasons, const std::vector<std::size_t>& replicated = {}) {
  Pricing pricing(call, rule, model);
  Propagation result;
  result.candidates =
      rule.fullMeshStrategies != nullptr
          ? pricedStrategies(call, rule, pricing)
          : searchStrategies(call, strategiesKeeping(call, rule, replicated), pricing, reasons);
  if (result.candidates.empty()) return noneLeft(call, pricing.blockedInPlace());
  result.chosen = result.candidates.front();
  return result;
}

// Returns the shared inputs for which elements of the call chose different placements.
std::set<std::size_t> disputed(const std::vector<Element>& elements,
                               const std::vector<OpStrategy>& strategies) {
  std::map<std::size_t, const Placements*> requested;
  std::set<std::size_t> result;
  for (std::size_t i = 0; i < strategies.size(); ++i) {
    const auto& inputs = elements[i].inputs;
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      const auto& placements = strategies[i].inputs[k];
      const auto [first, isFirst] = requested.emplace(inputs[k], &placements);
      if (!isFirst && *first->second != placements) result.insert(inputs[k]);
    }
  }
  return result;
}

// Propagates each element separately, and again with every disputed shared input replicated, until
// the elements agree.
Result<Propagation> propagateElements(const OpSchema& call, const Rule& rule,
                                      const CostModel& model) {
  auto elements = elementsOf(call);
  const Placements whole(static_cast<std::size_t>(call.mesh->ndim()), Replicate{});
  std::set<std::size_t> replicated;
  while (true) {
    std::vector<OpStrategy> strategies;
    for (auto& [element, inputs] : elements) {
      std::vector<std::size_t> own;
      for (std::size_t k = 0; k < inputs.size(); ++k) {
        if (replicated.count(inputs[k]) == 0) continue;
        own.push_back(k);
        element.inputs[k].placements = whole;
      }
      auto strategy = propagateOne(element, rule, model, Reasons::Omit, own);
      if (!strategy) return strategy;
      strategies.push_back(std::move(strategy->chosen));
    }
    const auto more = disputed(elements, strategies);
    if (more.empty()) {
      auto result = joined(call, elements, strategies);
      for (const auto input : replicated) {
        if (!addMove(model, call.inputs[input], whole, result)) return noneLeft(call, false);
      }
      return Propagation{result, {result}};
    }
    for (const auto written : call.written) {
      const bool moves = more.count(written) > 0 && call.inputs[written].placements != whole;
      if (moves) return noneLeft(call, true);
    }
    replicated.insert(more.begin(), more.end());
  }
}

}  // namespace

Result<Propagation> propagate(const OpSchema& call, const RuleMatch& use, const CostModel& model,
                              Reasons reasons) {
  if (!use.perElement) return propagateOne(call, *use.rule, model, reasons);
  return propagateElements(call, *use.rule, model);
}

}  // namespace shardlens
