// Views by strides, which refer to the memory layout of a plain tensor.

#include "core/ops/rules/rules.h"

namespace shardlens {
namespace {

bool isItself(const OpSchema& call) {
  return call.inputs.size() == 1 && call.intList("size") == call.input(0).shape &&
         call.intList("stride") == call.input(0).strides;
}

// Shards nothing. Each output element is an input element, so partials stay partial. A view that is
// the tensor itself keeps its placement.
std::vector<SingleDimStrategy> unmovedPartials(const OpSchema& call) {
  std::vector<SingleDimStrategy> strategies;
  if (isItself(call)) {
    for (const auto& placement : call.inputs.front().placements) {
      strategies.push_back({"the tensor itself", {placement}, {placement}});
    }
    return strategies;
  }
  for (const auto& partial : partialsOf(call)) {
    if (isMaskPartial(partial)) continue;
    strategies.push_back({"partial", {partial}, Placements(call.inputs.size(), partial)});
  }
  return strategies;
}

std::vector<TensorMeta> strided(const OpSchema& call) {
  return {{call.intList("size"), call.intList("stride"), call.input(0).dtype}};
}

}  // namespace

std::vector<NamedRule> asStridedRules() {
  return {
      {"aten.as_strided", {.singleDimStrategies = unmovedPartials, .outputs = strided}},
      {"aten.as_strided_scatter", {.singleDimStrategies = unmovedPartials, .outputs = likeFirst}}};
}

}  // namespace shardlens
