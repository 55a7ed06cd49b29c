#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace shardlens {

// Ranks one after another. A mesh may have millions, and where they are given as ranges nobody
// needs to list them.
struct RankRange {
  int first = 0;
  int last = 0;
  bool operator==(const RankRange&) const = default;
};

// "0-3,7" as ranges: ascending, and apart from one another. "|" is a comma here; what is no rank is
// left out.
std::vector<RankRange> parseRankRanges(std::string_view text);
// Three or more in a row are a range: "0-3", but "0,1".
std::string rangesText(const std::vector<RankRange>& ranges);

// The ranks of several lists as one, and how many ranks a list has.
std::vector<RankRange> united(std::vector<RankRange> ranges);
std::int64_t rankCount(const std::vector<RankRange>& ranges);

bool contains(const std::vector<RankRange>& ranges, int rank);

}  // namespace shardlens
