#pragma once

#include "core/ops/rule_registry.h"

#include <string>
#include <vector>

namespace shardlens {

struct NamedRule {
  std::string name;
  Rule rule;
};

// One function a family, each in the file of its name.
std::vector<NamedRule> embeddingRules();
std::vector<NamedRule> factoryRules();
std::vector<NamedRule> gatherRules();
std::vector<NamedRule> pointwiseRules();
std::vector<NamedRule> reductionRules();
std::vector<NamedRule> viewRules();

// The shape and type of the first input, for operators that give such a result.
std::vector<TensorMeta> likeFirst(const OpSchema& call);

// out[i] = f(a[i], b[i], ...), cut alike along any dimension: of whatever libtorch tags as
// pointwise and has no more to say.
const Rule& elementwiseRule();

// The placements that a Shard of a dimension stands for: itself, and for each split factor among
// the inputs the strided one.
std::vector<Placement> shardsOf(const OpSchema& call, int dim);

}  // namespace shardlens
