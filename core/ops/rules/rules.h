#pragma once

#include "core/ops/rule_registry.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardlens {

struct NamedRule {
  std::string name;
  Rule rule;
};

// One function a family, each in the file of its name.
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

// The shape and type of the first input, for operators that give such a result.
std::vector<TensorMeta> likeFirst(const OpSchema& call);
// The same of the second, laid out contiguously.
std::vector<TensorMeta> likeSecond(const OpSchema& call);
// In the first input's dtype, as large as the argument "sizes" says.
std::vector<TensorMeta> ofSizesArg(const OpSchema& call);
// Of operators whose results are no tensors.
std::vector<TensorMeta> noTensor(const OpSchema& call);

// Nothing is cut: every rank has all and does the same.
std::vector<SingleDimStrategy> onlyWhole(const OpSchema& call);

// out[i] = f(a[i], b[i], ...), cut alike along any dimension: of whatever libtorch tags as
// pointwise and has no more to say.
const Rule& elementwiseRule();

// The shape that all inputs stretch to.
Shape broadcastShape(const OpSchema& call);
// Where an input lies when what it stretches to is cut along a dimension: cut alike, or whole where
// it is stretched.
Placement alongside(const Shape& input, const Shape& stretched, int cutDim, const Placement& shard);
// The first input, which has the result's shape, is cut along any dimension; the others are whole.
std::vector<SingleDimStrategy> writtenOnParts(const OpSchema& call);
// Inputs that stretch to this shape, and all outputs with it, cut alike along each dimension.
std::vector<SingleDimStrategy> cutAlike(const OpSchema& call, const Shape& stretched);

// New contents of the shape of the first input, which nobody reads: cuts stay, and instead of terms
// each rank makes the whole.
std::vector<SingleDimStrategy> newContents(const OpSchema& call);
// The same in place, where terms stay terms: of the new contents then.
std::vector<SingleDimStrategy> overwritten(const OpSchema& call);

// Whether converting terms and reducing them is reducing and converting. Fractions that are added
// must not be rounded; sums of whole numbers wrap around in a narrow type, and do not in a wider
// one; an extreme is one of the terms, and stays it where the conversion keeps their order, as that
// to a type that wraps negative or large numbers around does not.
bool castsTermwise(ReduceOp op, DType from, DType to);

// A tensor whose elements lie in their order.
TensorMeta inOrder(const Shape& shape, DType dtype);
// The input that stands for an argument; none where it is not given.
std::optional<std::size_t> givenInput(const OpSchema& call, std::string_view name);

// How a dimension is cut: as the inputs are cut anywhere, plainly or by a split factor. Where none
// is, nothing gets cut: terms are reduced to the whole, as DTensor has it.
std::vector<Placement> shardsOf(const OpSchema& call, int dim);
// The kinds of terms that the inputs have, each once.
std::vector<Placement> partialsOf(const OpSchema& call);
// The argument that names a dimension of so many; from the end where it is negative.
int dimArg(const OpSchema& call, std::string_view name, int ndim);
// Those of the gradients' placements that the argument "output_mask" wants.
Placements wantedOf(const OpSchema& call, const Placements& gradients);
// Terms of the first input where the others are whole, of an operator that is linear in it.
SingleDimStrategy termsOfFirst(const OpSchema& call, ReduceOp op);
// The same cut of another dimension.
Placement alongDim(Placement shard, int dim);

}  // namespace shardlens
