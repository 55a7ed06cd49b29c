#pragma once

#include "core/model/rank_ranges.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardlens {

// Parses numbers of steps, "3-5,8", to ranges of indexes as stepIndexes() of step_number.h does.
// Returns nullopt if a part between commas is not a number from 1 or a range of such numbers, as in
// an empty text.
std::optional<std::vector<RankRange>> parseSteps(std::string_view text);

// Returns the numbers of the steps with these indexes: "3-5,8", "7 and later" for a range that ends
// at kLastStep.
std::string stepRangesText(const std::vector<RankRange>& steps);

}  // namespace shardlens
