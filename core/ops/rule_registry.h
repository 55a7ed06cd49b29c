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

  // Strategies for one mesh dimension. The strategy with all inputs replicated is implied.
  std::vector<SingleDimStrategy> (*singleDimStrategies)(const OpSchema&) = nullptr;

  // Strategies for the full mesh, for the inputs' current placements, preferred ones first. The
  // propagator fills in the costs. With emptyShards Kept or Skipped, it does not check whether the
  // strategies make shards that are empty.
  std::vector<OpStrategy> (*fullMeshStrategies)(const OpSchema&) = nullptr;

  // Whether the shard of an input may be empty on some rank.
  //   Never    No shard may be empty, because the kernel may divide by its size.
  //   Refused  A sharded dimension needs as many elements as pieces, as DTensor tests it. Some
  //            shards may still be empty: the last one of 4 elements over 3 ranks.
  //   Kept     Allowed if the input is not redistributed, or if the rule is for the full mesh.
  //   Skipped  As Kept, but a rank with an empty input returns zeros without calling the kernel,
  //            which would reject it. The zeros are an empty shard or a partial value of nothing.
  enum class EmptyShards { Never, Refused, Kept, Skipped } emptyShards = EmptyShards::Refused;

  // The halo exchanges inside the operator under a full-mesh strategy, and how often each runs.
  struct Halos {
    std::vector<Halo> each;
    int exchanges = 1;
  };
  // Returns nullopt if the operator cannot run under the strategy.
  std::optional<Halos> (*halos)(const OpSchema&, const OpStrategy&) = nullptr;

  // Each output element depends on the input elements at the same position, after broadcasting.
  bool elementwise = false;

  // Name of the argument with the output's size. Each rank's kernel gets its local size instead.
  std::string_view sizeArg = {};
  // Name of the argument with the output's strides. Local strides keep the order of dimensions.
  std::string_view strideArg = {};

  // Dispatches the operator itself although libtorch would decompose it, because the parts would
  // mix plain and sharded tensors. The operator then has no gradient.
  bool uncomposed = false;

  // For operators that compute each plane, the last planeDims dimensions of all tensors, alike, and
  // whose meta function exists only in Python. The output shape is found by running one plane of
  // zeros; the leading dimensions are the first input's. 0 for other operators.
  int planeDims = 0;

  // Returns the output metadata, for operators whose meta function exists only in Python. The
  // caller drops the outputs that "output_mask" excludes. If there are fewer than the operator has
  // return values, the remaining ones are no tensors or undefined.
  std::vector<TensorMeta> (*outputs)(const OpSchema&) = nullptr;
};

// libtorch's tag for elementwise operators.
enum class OpTag { None, Pointwise };

// The rule of an operator, or of each element of its lists. `rule` is null if there is none.
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
