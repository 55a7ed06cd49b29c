#pragma once

#include "core/model/placement.h"

#include <string>

namespace shardlens {

// A placement in DTensor's words, to the letter, so that the two can be compared as text. The short
// ones, str() in Python, are read back by parsePlacement.
std::string dtensorStr(const Placement& p);   // _S(0, 2)
std::string dtensorRepr(const Placement& p);  // _StridedShard(dim=0, sf=2)

}  // namespace shardlens
