#include "core/ops/rule_registry.h"

#include "core/ops/rules/rules.h"

#include <algorithm>
#include <unordered_map>

namespace shardlens {
namespace {

using Registry = std::unordered_map<std::string_view, Rule>;

const Registry& registry() {
  static const Registry kRules = [] {
    Registry rules;
    for (const auto family :
         {embeddingRules, factoryRules, pointwiseRules, reductionRules, viewRules}) {
      for (const auto& [name, rule] : family()) rules.emplace(name, rule);
    }
    return rules;
  }();
  return kRules;
}

}  // namespace

const Rule* findRule(std::string_view name) {
  const auto it = registry().find(name);
  return it == registry().end() ? nullptr : &it->second;
}

std::vector<std::string_view> ruleNames() {
  std::vector<std::string_view> names;
  names.reserve(registry().size());
  for (const auto& [name, rule] : registry()) names.push_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace shardlens
