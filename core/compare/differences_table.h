#pragma once

#include "core/compare/run_differences.h"
#include "core/view/table.h"

namespace shardlens {

// In what two recordings differ, in order: of which kind, where in either of them, and how. A row's
// event is that of the left one.
struct DifferencesTable {
  enum Column { In, Left, Right, Difference };
};
view::Table differencesTable(std::vector<RunDifference> differences);

}  // namespace shardlens
