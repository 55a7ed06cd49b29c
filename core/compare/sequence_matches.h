#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace shardlens {

// The same thing at two places.
struct SequenceMatch {
  std::size_t left = 0;
  std::size_t right = 0;
  bool operator==(const SequenceMatch&) const = default;
};

// Which items of two sequences are the same ones, in order: as many as can be, as Myers finds them
// (An O(ND) Difference Algorithm, 1986). Where a thousand items and more differ, it goes on from
// the next few that are alike, so that long sequences that have little in common take no longer.
std::vector<SequenceMatch> matchSequences(std::span<const std::uint64_t> left,
                                          std::span<const std::uint64_t> right);

// A sequence whose items have two keys each.
struct KeyedSequence {
  std::vector<std::uint64_t> first;
  std::vector<std::uint64_t> second;
};

// Those with the same first key; between them, those with the same second one.
std::vector<SequenceMatch> matchSequences(const KeyedSequence& left, const KeyedSequence& right);

}  // namespace shardlens
