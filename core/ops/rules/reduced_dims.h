#pragma once

#include "core/ops/schema.h"

#include <optional>

namespace shardlens {

// The dimensions of a tensor that a call reduces.
struct ReducedDims {
  std::vector<int> dims;  // ascending
  bool kept = false;      // reduced dimensions stay in the output, with size one

  bool has(int dim) const;
  // Returns the position of an input dimension in the output. A reduced dimension must be kept.
  int after(int dim) const;
  Shape shapeAfter(const Shape& shape) const;  // the output's shape
};

// Returns the dimensions that the arguments "dim" and "keepdim" select for a tensor of ndim
// dimensions, or for the first input. Without "dim", or with an empty list, all dimensions are
// reduced.
ReducedDims reducedDims(const OpSchema& call, int ndim);
ReducedDims reducedDims(const OpSchema& call);

// Returns the metadata of the first input after the reduction.
TensorMeta reducedMeta(const OpSchema& call, DType dtype);
// Returns the argument "dtype", or nullopt if it is missing or None.
std::optional<DType> namedDType(const OpSchema& call);

// Returns true if the operator, which first converts to the output's dtype, maps partial values of
// the first input to partial values of the output. As in DTensor, sums and products of int32 count
// although their int64 result differs if the narrow ones overflow.
bool acceptsPartials(const OpSchema& call, ReduceOp op);

// Returns strategies that shard the dimensions of the inputs alike. A dimension that stays keeps
// its shard. A reduced dimension may be sharded only if `partials` is set: the outputs then have
// this placement.
std::vector<SingleDimStrategy> reductionRows(const OpSchema& call, const ReducedDims& reduced,
                                             const std::optional<Placement>& partials);

}  // namespace shardlens
