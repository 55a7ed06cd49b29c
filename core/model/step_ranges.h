#pragma once

#include "core/model/rank_ranges.h"

#include <optional>
#include <string_view>
#include <vector>

namespace shardlens {

// Parses numbers of steps, "3-5,8", to ranges of indexes as stepIndexes() of step_number.h does.
// Returns nullopt if a part between commas is not a number from 1 or a range of such numbers, as in
// an empty text.
std::optional<std::vector<RankRange>> parseSteps(std::string_view text);

}  // namespace shardlens
