#pragma once

#include "core/trace/records/check_record.h"

#include <ATen/core/Tensor.h>

namespace shardlens {

// What became of laying a result beside the plain one. Whole numbers and truth values have to be
// equal, floating ones as close as torch.testing.assert_close takes for close; not-a-number is as
// not-a-number. Each rank's part counts, replicas too.
struct Comparison {
  bool agrees = true;
  CheckRecord difference = {};  // the largest one; of those that are too large, if any is
};

Comparison compare(const at::Tensor& sharded, const at::Tensor& plain);

}  // namespace shardlens
