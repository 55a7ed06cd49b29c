#pragma once

#include "core/model/placement.h"

#include <optional>
#include <string>
#include <string_view>

namespace shardlens {

// Converts placements from Python's repr to the notation of recordings: "(Shard(dim=0),
// Replicate())" becomes "(S(0), R)". A single placement loses its parentheses. Unknown text is
// copied.
std::string shortPlacements(std::string_view text);

// Parses a tensor's placements as DTensor prints them, one per mesh dimension without separator:
// "S(0)R". Returns nullopt if any part is not a placement.
std::optional<Placements> placementsOf(std::string_view text);

}  // namespace shardlens
