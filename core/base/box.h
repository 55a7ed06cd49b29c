#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace shardlens {

using Extents = std::vector<std::int64_t>;  // a number per dimension

// A rectangular part of a tensor: first index and size per dimension. A scalar has no dimensions
// and one element.
struct Box {
  Extents offsets;
  Extents sizes;
  bool operator==(const Box&) const = default;
};

// Returns the number of elements, or nullopt if a size is negative or the number exceeds 2^56.
std::optional<std::int64_t> elementsOf(const Extents& sizes);
// Returns the number of elements of a box that has one.
std::int64_t volume(const Box& box);
bool isWithin(const Box& box, const Extents& shape);  // also checks the number of dimensions
// Returns the common part; nullopt if it is empty. Both need the same number of dimensions.
std::optional<Box> intersection(const Box& a, const Box& b);
Box wholeOf(const Extents& shape);

std::string extentsText(const Extents& extents);  // "[7, 5]"
std::string boxText(const Box& box);              // "[0:4, 0:5]"; "[]" for a scalar

// Two boxes that share elements, as indices into the list.
struct BoxPair {
  std::size_t first, second;
};
// Returns pairs of boxes that overlap, at most `most`. O(n log n) for a tensor sharded on one
// dimension, O(n * m) with m boxes at one position of the dimension with the most positions.
std::vector<BoxPair> overlappingBoxes(const std::vector<Box>& boxes, std::size_t most);

// Returns the parts of `whole` that no box covers, or nullopt if there are more than `most` parts.
std::optional<std::vector<Box>> uncovered(const Box& whole, const std::vector<Box>& boxes,
                                          std::size_t most);

}  // namespace shardlens
