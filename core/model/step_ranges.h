#pragma once

#include "core/model/rank_ranges.h"

#include <optional>
#include <string_view>
#include <vector>

namespace shardlens {

// As stepIndexes(), but returns nullopt if a part of the text is not a number from 1 or a range of
// them.
std::optional<std::vector<RankRange>> parseSteps(std::string_view text);

}  // namespace shardlens
