#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace shardlens {

// "0-3", "0,2|1,3" to lists of ranks, a list a group, and back. What is no rank is left out.
std::vector<std::vector<int>> parseRanks(std::string_view text);
std::string ranksText(const std::vector<std::vector<int>>& groups);

}  // namespace shardlens
