#pragma once

#include "core/compare/run_differences.h"
#include "core/view/tables/table.h"

namespace shardlens {

// The table of differences, in the given order: kind, event in either recording, and sentence. The
// event of a row is that of the left recording. The first row is marked.
struct DifferencesTable {
  enum Column { In, Left, Right, Difference };
};
view::Table differencesTable(std::vector<RunDifference> differences);

}  // namespace shardlens
