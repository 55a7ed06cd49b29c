#pragma once

#include "core/model/tolerance.h"
#include "core/trace/journal/journal.h"

#include <optional>
#include <string>
#include <vector>

namespace shardlens {

// A tensor of a journal at a position.
struct TensorAt {
  const Journal* journal = nullptr;
  TensorId tensor = 0;
  EventId position = 0;
};

struct ValueDifference {
  int rank = 0;
  std::string text;  // "rank 1 at [2, 0]: 1.5 and 1.25", by the index in the global tensor
};

// Returns the largest difference between two tensors with the same dtype and placements on these
// ranks. Skips ranks of which a recording lacks the value.
// Different local shapes are a difference. If only statistics were recorded, compares nans, min,
// max and mean. Uses `tolerance`, or those of torch.testing.assert_close, with `right` as expected;
// NaN equals NaN. Returns nullopt if no difference is recorded.
std::optional<ValueDifference> valueDifference(const TensorAt& left, const TensorAt& right,
                                               const std::vector<int>& ranks,
                                               const std::optional<Tolerance>& tolerance = {});

}  // namespace shardlens
