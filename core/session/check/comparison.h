#pragma once

#include "core/trace/records/check_record.h"

#include <ATen/core/Tensor.h>

namespace shardlens {

// The result of compare().
struct Comparison {
  bool agrees = true;  // all elements are within their bounds
  // The difference that is largest in units of its bound. Empty if all elements are equal.
  CheckRecord difference = {};
};

// Compares each hosted rank's part of `sharded`, replicas included, with the matching part of
// `plain`, in float64. Elements agree if they differ by at most `bound`, which has the shape of
// `plain`, as RoundingBounds::of() returns it. NaN equals NaN, and infinity only itself. If shape
// or dtype differ, `difference.why` is set and no elements are compared. Reads `sharded` as
// readValues() does: this process must host all ranks.
Comparison compare(const at::Tensor& sharded, const at::Tensor& plain, const at::Tensor& bound);

}  // namespace shardlens
