#pragma once

#include "core/model/rank_ranges.h"
#include "core/trace/journal/journal.h"

#include <optional>
#include <vector>

namespace shardlens {

// Returns the indexes of the steps whose operators are recorded, ascending; nullopt for all steps.
// See step_operators.h. Linear in the events if there are steps without operators.
std::optional<std::vector<RankRange>> stepsWithOperators(const Journal& journal);

}  // namespace shardlens
