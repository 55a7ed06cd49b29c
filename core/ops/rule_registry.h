#pragma once

#include "core/ops/schema.h"

#include <optional>
#include <string_view>
#include <vector>

namespace shardlens {

// The sharding rule of an operator: which input placements give which output placements. It lists
// strategies per mesh dimension, or for the full mesh if the mesh dimensions depend on each other.
struct Rule {
  std::string_view family = {};  // the rule's file: "embedding"

  // Returns strategies for one mesh dimension. The strategy with all inputs replicated is implied.
  // Null if fullMeshStrategies is set.
  std::vector<SingleDimStrategy> (*singleDimStrategies)(const OpSchema&) = nullptr;

  // Returns strategies for the full mesh, for the inputs' current placements, preferred ones first,
  // without costs and halos: the propagator fills these in. With emptyShards Kept or Skipped, it
  // does not check whether the strategies make shards that are empty. Null if singleDimStrategies
  // is set.
  std::vector<OpStrategy> (*fullMeshStrategies)(const OpSchema&) = nullptr;

  // Which strategies are rejected because the shard of an input would be empty on some rank.
  //
  //   Never    All: no shard may be empty, because the kernel may divide by its size.
  //   Refused  Those that split a dimension into more pieces than it has elements, as in DTensor.
  //            Some shards may still be empty: the last one of 4 elements over 3 ranks.
  //   Kept     As Refused, but does not apply to inputs that are not redistributed, nor to rules
  //            for the full mesh.
  //   Skipped  As Kept, but a rank with an empty input returns zeros without calling the kernel,
  //            which would reject it. The zeros are an empty shard or a partial value of nothing.
  enum class EmptyShards { Never, Refused, Kept, Skipped } emptyShards = EmptyShards::Refused;

  // The halo exchanges inside the operator under a full-mesh strategy. Each is made `exchanges`
  // times per call; 0 if the call needs none.
  struct Halos {
    std::vector<Halo> each;
    int exchanges = 1;
  };
  // Returns the halos of a strategy, or nullopt if the operator cannot run under it. Null for
  // operators without halos.
  std::optional<Halos> (*halos)(const OpSchema&, const OpStrategy&) = nullptr;

  // true: each output element depends on the input elements at the same position, after
  // broadcasting.
  bool elementwise = false;

  // true: no number among the arguments decides strategies or shapes. Numbers of other rules do so
  // unless they are keyword-only arguments.
  bool freeNumbers = false;

  // Name of the argument with the output's size; empty if there is none. Each rank's kernel gets
  // its local size instead.
  std::string_view sizeArg = {};
  // Name of the argument with the output's strides; empty if there is none. Local strides keep the
  // order of dimensions.
  std::string_view strideArg = {};

  // true: the operator itself is dispatched although libtorch would decompose it, because the parts
  // would mix plain and sharded tensors. The operator then has no gradient.
  bool uncomposed = false;

  // For operators that compute each plane, the last planeDims dimensions of all tensors, alike, and
  // whose meta function exists only in Python. The output shape is found by running one plane of
  // zeros; the leading dimensions are the first input's. 0 for other operators.
  int planeDims = 0;

  // Returns the output metadata, for operators whose meta function exists only in Python. The
  // caller drops the outputs that "output_mask" excludes. If there are fewer than the operator has
  // return values, the remaining ones are no tensors or undefined. Null if libtorch's meta function
  // or planeDims gives the metadata.
  std::vector<TensorMeta> (*outputs)(const OpSchema&) = nullptr;
};

// Whether libtorch tags an operator as elementwise.
enum class OpTag { None, Pointwise };

// A rule that findRule() found. `rule` is null if there is none; it is not owned. With perElement,
// the rule applies to each element of the call's tensor lists (see foreach.h).
struct RuleMatch {
  const Rule* rule = nullptr;
  bool perElement = false;
};

// Returns the rule of an operator by its name ("aten.embedding"). An in-place operator
// ("aten.relu_") and a "_copy" variant have the rule of the plain operator. A foreach operator has
// the rule of its elements, and a fused optimizer elementwiseRule() per element. An operator tagged
// Pointwise without a rule has elementwiseRule(). Variants that write to an `out` tensor have a
// rule only if it is elementwise. The rule lives as long as the process.
RuleMatch findRule(std::string_view name, OpTag tag = OpTag::None);

// Returns the names that have a registered rule, sorted. "aten.add.*" stands for all overloads.
std::vector<std::string_view> ruleNames();

}  // namespace shardlens
