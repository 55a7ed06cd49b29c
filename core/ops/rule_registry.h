#pragma once

#include "core/ops/schema.h"

#include <string_view>
#include <vector>

namespace shardlens {

// What an operator can do over one mesh dimension. All inputs replicated is always possible and
// need not be said.
struct Rule {
  std::vector<Row> (*rows)(const OpSchema&) = nullptr;

  // Inputs may lie so that ranks hold nothing of them, as long as they stay where they are.
  enum class EmptyShards { Refused, Kept } emptyShards = EmptyShards::Refused;

  // The argument that says how large the result is, to be given to each rank in its own size.
  std::string_view sizeArg = {};
  // The argument that says how it lies in memory; each rank's part keeps the order of dimensions.
  std::string_view strideArg = {};

  // The outputs, for operators whose meta function libtorch has only in Python.
  std::vector<TensorMeta> (*outputs)(const OpSchema&) = nullptr;
};

// The rule of an operator by its name ("aten.embedding"); null where there is none.
const Rule* findRule(std::string_view name);

// Names of all operators that have a rule, sorted.
std::vector<std::string_view> ruleNames();

}  // namespace shardlens
