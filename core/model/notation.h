#pragma once

#include "core/model/placement.h"

#include <string>
#include <string_view>
#include <vector>

namespace shardlens {

// Returns placements for display: "S(0)" on a mesh of one dimension, "(R, SS(0, 2))" on others.
std::string shortText(const Placements& placements);

// Parses "(S(0), R)", with or without the parentheses.
Result<Placements> parsePlacements(std::string_view text);
// Returns the parts between commas that are outside of all parentheses and brackets, without
// surrounding spaces.
std::vector<std::string_view> splitAtCommas(std::string_view text);

}  // namespace shardlens
