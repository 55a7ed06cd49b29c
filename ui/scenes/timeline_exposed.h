#pragma once

#include "ui/scenes/timeline_window.h"

#include <vector>

namespace shardlens {

// Returns up to 16 ranks, which are spread over all lanes.
std::vector<int> exposedRanks(const view::Timeline& timeline);

// Returns for each pixel of the window the share of the time, from 0 to 1, for which ranks are
// blocked in collectives, waiting included: the average of exposedRanks(). Empty if it is 0
// everywhere.
std::vector<double> exposedShares(const view::Timeline& timeline, const TimelineWindow& window);

}  // namespace shardlens
