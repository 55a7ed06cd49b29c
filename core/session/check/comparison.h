#pragma once

#include "core/trace/records/check_record.h"

#include <ATen/core/Tensor.h>

namespace shardlens {

// The result of compare().
struct Comparison {
  bool agrees = true;  // all elements are within tolerance
  // The largest difference, out-of-tolerance ones first. Empty if all elements are equal.
  CheckRecord difference = {};
};

// Compares each hosted rank's part of `sharded`, replicas included, with the matching part of
// `plain`. Integers and bools must be equal; floating-point values must be within the tolerances of
// torch.testing.assert_close. NaN equals NaN. If shape or dtype differ, `difference.why` is set and
// no elements are compared. Reads `sharded` as readValues() does: this process must host all ranks.
Comparison compare(const at::Tensor& sharded, const at::Tensor& plain);

}  // namespace shardlens
