#pragma once

#include "core/ops/schema.h"

#include <optional>

namespace shardlens {

// Which dimensions of a tensor a call reduces, and where the others go.
struct ReducedDims {
  std::vector<int> dims;  // ascending
  bool kept = false;      // they stay in the result, with size one

  bool has(int dim) const;
  // Where a dimension of the input stands in the result: it moves left by those that are gone.
  int after(int dim) const;
  Shape shapeAfter(const Shape& shape) const;
};

// As the arguments "dim" and "keepdim" have it, for a tensor of that many dimensions, or the first
// input. All go where none is named.
ReducedDims reducedDims(const OpSchema& call, int ndim);
ReducedDims reducedDims(const OpSchema& call);

// The first input, reduced.
TensorMeta reducedMeta(const OpSchema& call, DType dtype);
// The argument "dtype", where there is one.
std::optional<DType> namedDType(const OpSchema& call);

// Whether terms of the first input may be taken for it, and what they give for terms of the
// output, by an operator that converts them first. As with DTensor sums and products of 32 bits may
// be of 64, which differs only where the narrow ones overflow.
bool takesTerms(const OpSchema& call, ReduceOp op);

// A dimension that stays keeps its cut. One that goes may be cut too where there is a placement
// that the ranks' results are terms of; otherwise it must be whole.
std::vector<SingleDimStrategy> reductionRows(const OpSchema& call, const ReducedDims& reduced,
                                             const std::optional<Placement>& terms);

}  // namespace shardlens
