#pragma once

#include "core/model/placement.h"

#include <string>
#include <string_view>
#include <vector>

namespace shardlens {

// Returns placements for display: "S(0)" on a mesh of one dimension, "(R, SS(0, 2))" on others.
std::string shortText(const Placements& placements);

// Parses "(S(0), R)", with or without the parentheses. Returns the error of parsePlacement() for
// the first invalid part; an empty list is an error, too.
Result<Placements> parsePlacements(std::string_view text);
// Returns the parts between commas that are outside of all parentheses and brackets, without
// surrounding spaces. Returns one empty part for empty text.
std::vector<std::string_view> splitAtCommas(std::string_view text);

}  // namespace shardlens
