#pragma once

#include "core/model/placement.h"

#include <optional>
#include <string>
#include <string_view>

namespace shardlens {

// "(Shard(dim=0), Replicate())", as Python prints placements, in the notation of recordings:
// "(S(0), R)".
std::string shortPlacements(std::string_view text);

// "S(0)R", as DTensor prints those of a tensor, one a mesh dimension; none where it is anything
// else.
std::optional<Placements> placementsOf(std::string_view text);

}  // namespace shardlens
