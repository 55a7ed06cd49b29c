#include "core/ops/rule_registry.h"

#include "core/ops/rules/rules.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>

namespace shardlens {
namespace {

using Registry = std::unordered_map<std::string, Rule>;

const Registry& registry() {
  static const Registry kRules = [] {
    Registry rules;
    const std::pair<std::string_view, std::vector<NamedRule> (*)()> families[] = {
        {"argmax", argmaxRules},
        {"as_strided", asStridedRules},
        {"attention", attentionRules},
        {"batched", batchedRules},
        {"batch_norm", batchNormRules},
        {"cat", catRules},
        {"channels", channelsRules},
        {"complex", complexRules},
        {"convolution", convolutionRules},
        {"creation", creationRules},
        {"data_size", dataSizeRules},
        {"embedding", embeddingRules},
        {"embedding_bag", embeddingBagRules},
        {"fft", fftRules},
        {"fused_attention", fusedAttentionRules},
        {"gather", gatherRules},
        {"group_norm", groupNormRules},
        {"histogram", histogramRules},
        {"layer_norm", layerNormRules},
        {"lookup", lookupRules},
        {"loss", lossRules},
        {"matmul", matmulRules},
        {"norm", normRules},
        {"pointwise", pointwiseRules},
        {"pointwise_loss", pointwiseLossRules},
        {"random", randomRules},
        {"reduction", reductionRules},
        {"scalar_results", scalarResultRules},
        {"scan", scanRules},
        {"segment", segmentRules},
        {"spatial", spatialRules},
        {"trilinear", trilinearRules},
        {"view", viewRules}};
    for (const auto& [family, named] : families) {
      for (auto& [name, rule] : named()) {
        rule.family = family;
        rules.emplace(name, rule);
      }
    }
    return rules;
  }();
  return kRules;
}

const Rule* named(const std::string& name) {
  const auto it = registry().find(name);
  return it == registry().end() ? nullptr : &it->second;
}

// A name split into packet and overload: "aten.sum.dim_IntList" is "aten.sum" and "dim_IntList". A
// trailing '_' of the packet is dropped.
struct OpName {
  explicit OpName(std::string_view name) {
    const auto dot = name.find('.', name.find('.') + 1);
    packet = name.substr(0, dot);
    overload = dot == std::string_view::npos ? std::string_view() : name.substr(dot + 1);
    if (packet.ends_with('_')) packet.remove_suffix(1);
  }
  std::string whole() const {
    return std::string(packet) + (overload.empty() ? "" : "." + std::string(overload));
  }

  std::string_view packet;
  std::string_view overload;
};

const Rule* ofPacket(const OpName& op) {
  if (const Rule* rule = named(op.whole())) return rule;
  return named(std::string(op.packet) + ".*");
}

// Returns the rule of the view that the operator copies: that of "aten.permute" for
// "aten.permute_copy". Null for other operators.
const Rule* ofCopiedView(OpName op) {
  constexpr std::string_view kCopy = "_copy";
  if (!op.packet.ends_with(kCopy)) return nullptr;
  op.packet.remove_suffix(kCopy.size());
  return ofPacket(op);
}

constexpr std::string_view kForeach = "aten._foreach_";
constexpr std::string_view kScalerForeach = "aten._amp_foreach_";

// Returns the rule for one element. "aten._foreach_add_.List" is "aten.add.Tensor", and a
// ScalarList is "Scalar". Without a rule, elements are elementwise.
const Rule* ofElement(std::string_view name) {
  const OpName op(name);
  const std::string packet = "aten." + std::string(op.packet.substr(kForeach.size()));
  if (const Rule* rule = named(std::string(op.packet) + ".*")) return rule;
  const std::string overload = op.overload == "List"         ? ".Tensor"
                               : op.overload == "ScalarList" ? ".Scalar"
                                                             : "." + std::string(op.overload);
  if (const Rule* rule = ofPacket(OpName(op.overload.empty() ? packet : packet + overload))) {
    return rule;
  }
  const Rule* plain = named(packet);
  return plain != nullptr ? plain : &elementwiseRule();
}

constexpr std::string_view kOptimizers[] = {"aten._fused_adam", "aten._fused_sgd",
                                            "aten._fused_adagrad"};

bool isOptimizer(std::string_view name) {
  return std::any_of(std::begin(kOptimizers), std::end(kOptimizers),
                     [&](std::string_view prefix) { return name.starts_with(prefix); });
}

// Returns true if the operator writes into a given tensor ("sum.IntList_out", "sort.values").
bool writesOut(std::string_view overload) {
  static constexpr std::string_view kNamed[] = {"out",     "values",     "values_stable", "dim_max",
                                                "dim_min", "dim_values", "grad_input",    "output"};
  return overload.ends_with("_out") ||
         std::find(std::begin(kNamed), std::end(kNamed), overload) != std::end(kNamed);
}

RuleMatch ruleOf(std::string_view name, OpTag tag) {
  if (const Rule* rule = named(std::string(name))) {
    return {rule, name.starts_with(kScalerForeach)};
  }
  if (name.starts_with(kForeach)) return {ofElement(name), /*perElement=*/true};
  if (isOptimizer(name)) return {&elementwiseRule(), /*perElement=*/true};
  if (const Rule* rule = ofPacket(OpName(name))) return {rule};
  if (const Rule* rule = ofCopiedView(OpName(name))) return {rule};
  if (tag == OpTag::Pointwise) return {&elementwiseRule()};
  return {};
}

}  // namespace

RuleMatch findRule(std::string_view name, OpTag tag) {
  const auto use = ruleOf(name, tag);
  if (use.rule == nullptr || !writesOut(OpName(name).overload)) return use;
  // The written tensor is an additional input, which only elementwise rules can handle.
  return use.rule->elementwise ? RuleMatch{&elementwiseRule(), use.perElement} : RuleMatch{};
}

std::vector<std::string_view> ruleNames() {
  std::vector<std::string_view> names;
  names.reserve(registry().size());
  for (const auto& [name, rule] : registry()) names.push_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace shardlens
