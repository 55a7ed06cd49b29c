#pragma once

#include "core/model/rank_ranges.h"
#include "core/query/language/query.h"

#include <vector>

namespace shardlens {

// Returns the steps outside of which no event matches the query, as indexes: ascending and
// disjoint. Empty if the query does not restrict the steps, or if its answer depends on the events
// of other steps: terms with `id` and `role`, whose numbers count over the whole recording, events
// outside of a step (step:0), and `diverged`. `query` must come from parseQuery().
std::vector<RankRange> stepsOf(const Query& query);

}  // namespace shardlens
