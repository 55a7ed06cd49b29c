#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace shardlens {

// A pair of equal items: their indices in the two sequences.
struct SequenceMatch {
  std::size_t left = 0;
  std::size_t right = 0;
  bool operator==(const SequenceMatch&) const = default;
};

// Returns the pairs of a long common subsequence, ascending, by Myers' algorithm (An O(ND)
// Difference Algorithm, 1986). It is the longest one for up to 1000 edits. Beyond that, after a
// search with few matches, it skips to the next four equal items in a row. This bounds the time for
// sequences with little in common.
std::vector<SequenceMatch> matchSequences(std::span<const std::uint64_t> left,
                                          std::span<const std::uint64_t> right);

// A sequence whose items have two keys each. Both vectors have the same length.
struct KeyedSequence {
  std::vector<std::uint64_t> first;
  std::vector<std::uint64_t> second;
};

// Returns the pairs with equal first keys, and between them those with equal second keys.
std::vector<SequenceMatch> matchSequences(const KeyedSequence& left, const KeyedSequence& right);

}  // namespace shardlens
