#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardlens {

// Consecutive ranks, first to last inclusive. Ranges avoid listing the millions of ranks that a
// mesh may have.
struct RankRange {
  int first = 0;
  int last = 0;
  bool operator==(const RankRange&) const = default;
};

// Parses a rank "7" or consecutive ranks "0-3". Returns nullopt for other text, and for ranks of
// 2^24 and more, the limit of a mesh.
std::optional<RankRange> parseRankRange(std::string_view text);
// Parses "0-3,7" to ascending ranges that neither overlap nor touch. "|" separates like a comma;
// parts that are not ranks are skipped.
std::vector<RankRange> parseRankRanges(std::string_view text);
// Returns the text. Three or more consecutive ranks are written as a range: "0-3", but "0,1".
std::string rangesText(const std::vector<RankRange>& ranges);

// united() returns the same ranks as ascending ranges that neither overlap nor touch. rankCount()
// returns the sum of the ranges' lengths.
std::vector<RankRange> united(std::vector<RankRange> ranges);
std::int64_t rankCount(const std::vector<RankRange>& ranges);

// Returns true if the two lists have a rank in common. Both must be ascending and disjoint.
bool areMeeting(const std::vector<RankRange>& a, const std::vector<RankRange>& b);

// Returns true if a range includes the rank. The ranges must be ascending and disjoint.
bool contains(const std::vector<RankRange>& ranges, int rank);

}  // namespace shardlens
