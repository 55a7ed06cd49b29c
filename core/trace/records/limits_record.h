#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shardlens {

// Metadata: what the recorder of a job could not observe, and why, a line each.
inline constexpr std::string_view kLimitsKey = "limits";

// Returns the lines; none for empty text.
std::vector<std::string> readLimits(std::string_view text);

// Returns the limits of several processes, each line once, in the order in which they first occur.
// `processes` has the ranks of each process and its limits. A line that some processes lack is
// followed by the ranks of those that have it: "values are missing (ranks 0,2)".
std::string mergedLimits(
    const std::vector<std::pair<std::vector<int>, std::string_view>>& processes);

}  // namespace shardlens
