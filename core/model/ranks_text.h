#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace shardlens {

// Convert between text and one list of ranks per group: "0-3", "0,2|1,3". parseRanks() skips parts
// that are not ranks, and ranges that would exceed 2^20 ranks in total. Returns no groups for empty
// text, and an empty group for a part between "|" without ranks.
std::vector<std::vector<int>> parseRanks(std::string_view text);
std::string ranksText(const std::vector<std::vector<int>>& groups);

}  // namespace shardlens
