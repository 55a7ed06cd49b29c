#pragma once

#include "core/model/placement.h"

#include <string>
#include <string_view>
#include <vector>

namespace shardlens {

// A tensor's placements as a person reads them: "S(0)" on one mesh dimension, "(R, SS(0, 2))" on
// several.
std::string shortText(const Placements& placements);

// "(S(0), R)", also without the parentheses.
Result<Placements> parsePlacements(std::string_view text);
// The pieces between commas that stand outside of all brackets, without spaces around them.
std::vector<std::string_view> splitAtCommas(std::string_view text);

}  // namespace shardlens
