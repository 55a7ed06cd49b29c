#pragma once

#include "core/ops/schema.h"

#include <optional>
#include <string_view>
#include <vector>

namespace shardlens {

// The strategies of an operator. A rule gives them for one mesh dimension at a time, unless what is
// possible over one depends on the others: then it gives strategies for the full mesh.
struct Rule {
  std::string_view family = {};  // the file it stands in: "embedding"

  // For one mesh dimension. All inputs replicated is always possible and is not among them.
  std::vector<SingleDimStrategy> (*singleDimStrategies)(const OpSchema&) = nullptr;

  // For the full mesh, given the inputs' placements, the preferred first; the propagator fills in
  // the costs. Where empty shards are kept, none are made.
  std::vector<OpStrategy> (*fullMeshStrategies)(const OpSchema&) = nullptr;

  // Whether an input's shard may be empty on some rank. Kept: while the input is not redistributed.
  // Refused: a sharded dimension is at least as long as it has shards, as DTensor tests it, so that
  // the last shard of 4 over 3 is still empty. Never: no shard is empty; kernels may divide by it.
  // Skipped: kept, and a rank that has nothing of an input gives zeros, which are nothing too, or
  // terms of nothing, as kernels would refuse it.
  enum class EmptyShards { Never, Refused, Kept, Skipped } emptyShards = EmptyShards::Refused;

  // What ranks exchange of the inputs or the results while the operator runs, under a strategy for
  // the full mesh, and how often; none where it cannot run so.
  struct Halos {
    std::vector<Halo> each;
    int exchanges = 1;
  };
  std::optional<Halos> (*halos)(const OpSchema&, const OpStrategy&) = nullptr;

  // Each element of the results is computed of the inputs' elements at the same place: shapes
  // stretch to one another.
  bool elementwise = false;

  // The argument that is the result's size; each rank's kernel gets its local size instead.
  std::string_view sizeArg = {};
  // The argument that is the result's strides; each rank's keep the order of dimensions.
  std::string_view strideArg = {};

  // The operator is not decomposed, though libtorch would, because the parts would mix plain
  // tensors with sharded ones. It has no gradient then.
  bool uncomposed = false;

  // Of operators that compute each plane alike, the last so many dimensions of all tensors, and
  // whose meta function libtorch has only in Python: they are asked for one plane, and what comes
  // before it is the first input's.
  int planeDims = 0;

  // The outputs, for operators whose meta function libtorch has only in Python. The caller leaves
  // out those that the argument "output_mask" does not want.
  std::vector<TensorMeta> (*outputs)(const OpSchema&) = nullptr;
};

// libtorch tags operators that compute each element by itself.
enum class OpTag { None, Pointwise };

// The rule of an operator, or of each element of its lists.
struct RuleMatch {
  const Rule* rule = nullptr;
  bool perElement = false;
};

// The rule of an operator by its name ("aten.embedding"); null where there is none. An operator in
// place ("aten.relu_") has the rule of the other; a foreach operator that of its elements.
RuleMatch findRule(std::string_view name, OpTag tag = OpTag::None);

// Names of all operators that have a rule of their own, sorted; "aten.add.*" are all overloads.
std::vector<std::string_view> ruleNames();

}  // namespace shardlens
