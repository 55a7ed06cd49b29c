#pragma once

#include "core/model/placement.h"

#include <string>

namespace shardlens {

// The text that DTensor's str() and repr() give for the same placement, so that the two can be
// compared as text. parsePlacement() reads the str() form back.
std::string dtensorStr(const Placement& p);   // _S(0, 2)
std::string dtensorRepr(const Placement& p);  // _StridedShard(dim=0, sf=2)

}  // namespace shardlens
