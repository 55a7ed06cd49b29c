#pragma once

#include "core/ops/rule_registry.h"

#include <string_view>
#include <vector>

namespace shardlens {

struct NamedRule {
  std::string_view name;
  Rule rule;
};

// One function a family, each in the file of its name.
std::vector<NamedRule> embeddingRules();
std::vector<NamedRule> factoryRules();
std::vector<NamedRule> pointwiseRules();
std::vector<NamedRule> reductionRules();
std::vector<NamedRule> viewRules();

// out[i] = f(a[i], b[i], ...), cut alike along any dimension: of whatever libtorch tags as
// pointwise and has no more to say.
const Rule& elementwiseRule();

// The placements that a Shard of a dimension stands for: itself, and for each split factor among
// the inputs the strided one.
std::vector<Placement> shardsOf(const OpSchema& call, int dim);

}  // namespace shardlens
