#include "core/ops/propagator.h"

#include "core/ops/elements.h"
#include "core/ops/pricing.h"
#include "core/ops/search.h"

#include <algorithm>

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

Result<Propagation> propagateOne(const OpSchema& call, const Rule& rule, const CostModel& model,
                                 Reasons reasons) {
  Pricing pricing(call, rule, model);
  Propagation result;
  result.candidates = rule.ways != nullptr ? pricedWays(call, rule, pricing)
                                           : searchRows(call, rule.rows(call), pricing, reasons);
  if (result.candidates.empty()) return noneLeft(call, pricing.blockedInPlace());
  result.chosen = result.candidates.front();
  return result;
}

}  // namespace

Result<Propagation> propagate(const OpSchema& call, const RuleUse& use, const CostModel& model,
                              Reasons reasons) {
  if (!use.perElement) return propagateOne(call, *use.rule, model, reasons);
  std::vector<OpStrategy> ways;
  for (const auto& element : elementsOf(call)) {
    auto way = propagateOne(element, *use.rule, model, Reasons::Unasked);
    if (!way) return way;
    ways.push_back(std::move(way->chosen));
  }
  auto whole = joined(call, ways);
  return Propagation{whole, {whole}};
}

}  // namespace shardlens
