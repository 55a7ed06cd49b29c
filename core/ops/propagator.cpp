#include "core/ops/propagator.h"

#include "core/ops/elements.h"
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

std::vector<OpStrategy> pricedWays(const OpSchema& call, const Rule& rule, Pricing& pricing) {
  std::vector<OpStrategy> ways;
  for (auto& way : rule.ways(call)) {
    if (auto priced = pricing.priced(std::move(way))) ways.push_back(std::move(*priced));
  }
  const auto rank = [&](const auto& way) { return movesNothing(way, call) ? -1.0 : way.cost; };
  std::stable_sort(ways.begin(), ways.end(),
                   [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
  return ways;
}

// The rows that leave these inputs replicated.
std::vector<Row> rowsKeeping(const OpSchema& call, const Rule& rule,
                             const std::vector<std::size_t>& replicated) {
  auto rows = rule.rows(call);
  std::erase_if(rows, [&](const Row& row) {
    return std::any_of(replicated.begin(), replicated.end(),
                       [&](std::size_t input) { return !isReplicate(row.inputs[input]); });
  });
  return rows;
}

Result<Propagation> propagateOne(const OpSchema& call, const Rule& rule, const CostModel& model,
                                 Reasons reasons, const std::vector<std::size_t>& replicated = {}) {
  Pricing pricing(call, rule, model);
  Propagation result;
  result.candidates = rule.ways != nullptr
                          ? pricedWays(call, rule, pricing)
                          : searchRows(call, rowsKeeping(call, rule, replicated), pricing, reasons);
  if (result.candidates.empty()) return noneLeft(call, pricing.blockedInPlace());
  result.chosen = result.candidates.front();
  return result;
}

// The inputs of the whole call that its elements share and would have lie in different ways.
std::set<std::size_t> disputed(const std::vector<Element>& elements,
                               const std::vector<OpStrategy>& ways) {
  std::map<std::size_t, const Placements*> wanted;
  std::set<std::size_t> result;
  for (std::size_t i = 0; i < ways.size(); ++i) {
    const auto& inputs = elements[i].inputs;
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      const auto& placements = ways[i].inputs[k];
      const auto [first, isFirst] = wanted.emplace(inputs[k], &placements);
      if (!isFirst && *first->second != placements) result.insert(inputs[k]);
    }
  }
  return result;
}

// Each element by itself, but that what they share and do not agree about is replicated.
Result<Propagation> propagateElements(const OpSchema& call, const Rule& rule,
                                      const CostModel& model) {
  auto elements = elementsOf(call);
  const Placements whole(static_cast<std::size_t>(call.mesh->ndim()), Replicate{});
  std::set<std::size_t> replicated;
  while (true) {
    std::vector<OpStrategy> ways;
    for (auto& [element, inputs] : elements) {
      std::vector<std::size_t> own;
      for (std::size_t k = 0; k < inputs.size(); ++k) {
        if (replicated.count(inputs[k]) == 0) continue;
        own.push_back(k);
        element.inputs[k].placements = whole;
      }
      auto way = propagateOne(element, rule, model, Reasons::Unasked, own);
      if (!way) return way;
      ways.push_back(std::move(way->chosen));
    }
    const auto more = disputed(elements, ways);
    if (more.empty()) {
      auto result = joined(call, elements, ways);
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
