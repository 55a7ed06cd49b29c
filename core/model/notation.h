#pragma once

#include "core/model/placement.h"

namespace shardlens {

// A tensor's placements as a person reads them: "S(0)" on one mesh dimension, "(R, SS(0, 2))" on
// several.
std::string shortText(const Placements& placements);

}  // namespace shardlens
