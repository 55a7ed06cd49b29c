#include "core/ops/rules/reduced_dims.h"
#include "core/ops/rules/rules.h"

namespace shardlens {
namespace {

// y[k] = the r of the greatest x[k, r]. Ranks with a part of r find their best and agree on one, so
// the input keeps its placements. Only partials are reduced first.
std::vector<OpStrategy> argmax(const OpSchema& call) {
  const auto reduced = reducedDims(call);
  OpStrategy staying{"agreed", {{}}, {{}}};
  for (auto placement : call.inputs.front().placements) {
    if (isPartial(placement)) placement = Replicate{};
    staying.inputs.front().push_back(placement);
    const auto dim = shardedDim(placement);
    if (dim) {
      placement = reduced.has(*dim) ? Replicate{} : alongDim(placement, reduced.after(*dim));
    }
    staying.outputs.front().push_back(placement);
  }
  const Placements whole(staying.inputs.front().size(), Replicate{});
  return {staying, {"replicate", {whole}, {whole}}};
}

}  // namespace

std::vector<NamedRule> argmaxRules() {
  const Rule rule{.fullMeshStrategies = argmax, .emptyShards = Rule::EmptyShards::Kept};
  return {{"aten.argmax", rule}, {"aten.argmin", rule}};
}

}  // namespace shardlens
