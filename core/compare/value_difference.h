#pragma once

#include "core/trace/journal/journal.h"

#include <optional>
#include <string>
#include <vector>

namespace shardlens {

// A tensor as it was when an event had happened.
struct TensorAt {
  const Journal* journal = nullptr;
  TensorId tensor = 0;
  EventId position = 0;
};

// Where what these ranks hold of a tensor of the same placements differs most: "rank 1 at [2,
// 0]: 1.5 and 1.25"; of what only statistics were recorded, those. Floating elements may differ by
// as much as torch.testing.assert_close takes for close. None where they are the same as far as
// both recordings know.
std::optional<std::string> valueDifference(const TensorAt& left, const TensorAt& right,
                                           const std::vector<int>& ranks);

}  // namespace shardlens
