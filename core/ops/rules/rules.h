#pragma once

#include "core/ops/rule_registry.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardlens {

// A rule and the name that it is registered under: an operator, or "aten.add.*" for all overloads.
struct NamedRule {
  std::string name;
  Rule rule;
};

// The rules of each family, each function in the file of that name.
std::vector<NamedRule> scalarResultRules();
std::vector<NamedRule> argmaxRules();
std::vector<NamedRule> asStridedRules();
std::vector<NamedRule> attentionRules();
std::vector<NamedRule> batchedRules();
std::vector<NamedRule> dataSizeRules();
std::vector<NamedRule> batchNormRules();
std::vector<NamedRule> embeddingRules();
std::vector<NamedRule> embeddingBagRules();
std::vector<NamedRule> creationRules();
std::vector<NamedRule> gatherRules();
std::vector<NamedRule> fftRules();
std::vector<NamedRule> fusedAttentionRules();
std::vector<NamedRule> groupNormRules();
std::vector<NamedRule> histogramRules();
std::vector<NamedRule> catRules();
std::vector<NamedRule> channelsRules();
std::vector<NamedRule> complexRules();
std::vector<NamedRule> convolutionRules();
std::vector<NamedRule> layerNormRules();
std::vector<NamedRule> lookupRules();
std::vector<NamedRule> lossRules();
std::vector<NamedRule> matmulRules();
std::vector<NamedRule> normRules();
std::vector<NamedRule> pointwiseRules();
std::vector<NamedRule> pointwiseLossRules();
std::vector<NamedRule> randomRules();
std::vector<NamedRule> reductionRules();
std::vector<NamedRule> scanRules();
std::vector<NamedRule> segmentRules();
std::vector<NamedRule> spatialRules();
std::vector<NamedRule> trilinearRules();
std::vector<NamedRule> viewRules();

// The next four are values for Rule::outputs.
// Returns the metadata of the first input.
std::vector<TensorMeta> likeFirst(const OpSchema& call);
// Returns the metadata of the second input, with contiguous strides.
std::vector<TensorMeta> likeSecond(const OpSchema& call);
// Returns a contiguous output of the first input's dtype with the size in the argument "sizes".
std::vector<TensorMeta> ofSizesArg(const OpSchema& call);
// Returns no outputs, for operators whose results are not tensors.
std::vector<TensorMeta> noTensor(const OpSchema& call);

// Returns no strategies, so that only full replication remains.
std::vector<SingleDimStrategy> onlyWhole(const OpSchema& call);

// Returns the rule of out[i] = f(a[i], b[i], ...): all tensors are sharded alike on any dimension.
// Used for operators with libtorch's tag Pointwise that have no other rule.
const Rule& elementwiseRule();

// Returns the shape that all inputs broadcast to. Does not check that they do.
Shape broadcastShape(const OpSchema& call);
// Returns the placement of an input if the shape that it broadcasts to is sharded with `shard` on
// shardDim: sharded alike, or replicated if the input is broadcast along that dimension.
Placement alongside(const Shape& input, const Shape& stretched, int shardDim,
                    const Placement& shard);
// Returns strategies that shard the first input on any dimension and replicate the others. Empty if
// the output has another shape than the first input.
std::vector<SingleDimStrategy> writtenOnParts(const OpSchema& call);
// Returns strategies that shard all tensors alike on each dimension of this shape. The inputs must
// broadcast to it, and the outputs have it.
std::vector<SingleDimStrategy> shardAlike(const OpSchema& call, const Shape& stretched);

// Returns strategies for an output that has the first input's shape but not its contents. Shards
// stay; for a partial input the output is replicated.
std::vector<SingleDimStrategy> newContents(const OpSchema& call);
// As newContents(), in place. A partial tensor stays partial: each rank writes a partial value of
// the new contents.
std::vector<SingleDimStrategy> overwritten(const OpSchema& call);

// Returns true if converting partial values to another dtype and then reducing them gives the same
// as reducing and then converting. False if a conversion rounds fractions that are added, widens
// integers that may wrap around, or changes the order of values for Max and Min.
bool castsTermwise(ReduceOp op, DType from, DType to);

// Returns the metadata of a contiguous tensor.
TensorMeta inOrder(const Shape& shape, DType dtype);
// Returns the index of the input for this argument, or nullopt if it is not given as a tensor.
std::optional<std::size_t> givenInput(const OpSchema& call, std::string_view name);

// Returns the shards to try on a tensor dimension: plain and with each split factor, as they occur
// in any dimension of any input. Empty if no input is sharded: then nothing gets sharded, as in
// DTensor.
std::vector<Placement> shardsOf(const OpSchema& call, int dim);
// Returns the different partials among the inputs' placements.
std::vector<Placement> partialsOf(const OpSchema& call);
// Returns the dimension in the argument `name`, with negative values counted from the end of ndim.
// The argument must be an integer.
int dimArg(const OpSchema& call, std::string_view name, int ndim);
// Returns the placements of those gradients that the argument "output_mask" requests.
Placements requestedGradients(const OpSchema& call, const Placements& gradients);
// Returns the strategy for operators that are linear in their first input: it and all outputs are
// partial, the other inputs replicated.
SingleDimStrategy partialsOfFirst(const OpSchema& call, ReduceOp op);
// Returns true if sharding the heads of attention gives each rank whole groups of the query heads
// that share a key head. Input number `query` is the query, the next one the key.
bool shardsWholeGroups(const OpSchema& call, std::size_t query);
// Returns the strides of [batch, heads, length, ...] if the heads of a position are stored next to
// each other, as libtorch's kernels of attention store them.
Shape headsTogether(const Shape& shape);
// Returns the shard on another tensor dimension. Other placements are returned unchanged.
Placement alongDim(Placement shard, int dim);

}  // namespace shardlens
