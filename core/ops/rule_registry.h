#pragma once

#include "core/ops/schema.h"

#include <string_view>
#include <vector>

namespace shardlens {

// What an operator can do. A rule speaks of one mesh dimension at a time (`rows`), unless what one
// does depends on what the others do (`ways`).
struct Rule {
  std::string_view family = {};  // the file it stands in: "embedding"

  // Over one mesh dimension. All inputs replicated is always possible and need not be said.
  std::vector<Row> (*rows)(const OpSchema&) = nullptr;

  // Over the whole mesh, for the placements that the inputs have; what is preferred comes first,
  // and costs are filled in by the propagator. Where empty shards are kept, none are made.
  std::vector<OpStrategy> (*ways)(const OpSchema&) = nullptr;

  // Whether ranks may hold nothing of an input. Kept: as long as it stays where it is. Refused: a
  // dimension that is cut is at least as long as it has pieces, DTensor's test, which still leaves
  // the last rank nothing of 4 over 3. Never: each rank holds something; kernels may divide by it.
  enum class EmptyShards { Never, Refused, Kept } emptyShards = EmptyShards::Refused;

  // Each element of the results is computed of the inputs' elements at the same place: shapes
  // stretch to one another.
  bool elementwise = false;

  // The argument that says how large the result is, to be given to each rank in its own size.
  std::string_view sizeArg = {};
  // The argument that says how it lies in memory; each rank's part keeps the order of dimensions.
  std::string_view strideArg = {};

  // The operator is taken as one though libtorch composes it of others, which would mix plain
  // tensors with sharded ones. It has no gradient then.
  bool uncomposed = false;

  // The outputs, for operators whose meta function libtorch has only in Python. Those that the
  // argument "output_mask" does not want are left out by whoever asks.
  std::vector<TensorMeta> (*outputs)(const OpSchema&) = nullptr;
};

// libtorch tags operators that compute each element by itself.
enum class OpTag { None, Pointwise };

// The rule that an operator follows, or that each element of its lists follows by itself.
struct RuleMatch {
  const Rule* rule = nullptr;
  bool perElement = false;
};

// The rule of an operator by its name ("aten.embedding"); null where there is none. Working in
// place ("aten.relu_") is working by the same rule; so is a foreach operator, element by element.
RuleMatch findRule(std::string_view name, OpTag tag = OpTag::None);

// Names of all operators that have a rule of their own, sorted; "aten.add.*" are all overloads.
std::vector<std::string_view> ruleNames();

}  // namespace shardlens
