#pragma once

#include "core/model/rank_ranges.h"

#include <string>
#include <vector>

namespace shardlens {

// Returns the steps outside of which a SELECT reads no rows, as indexes: ascending and disjoint.
// Empty if it may read others: unless it scans one table, of events, collectives or arrivals, with
// conditions on its step that SQLite passes to the table and none on numbers of events. Also empty
// for SQL with WITH, which may be recursive, and for SQL that Sql::query() refuses.
std::vector<RankRange> stepsOfSql(const std::string& select);

}  // namespace shardlens
