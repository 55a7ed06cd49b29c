#pragma once

#include "core/query/problems/problems.h"
#include "core/view/tables/table.h"

namespace shardlens {

using Problems = std::shared_ptr<const std::vector<Problem>>;

// A table of problems, one per row. Marks the first problem that contains the event `position`. The
// table shares ownership of `problems`.
struct ProblemsTable {
  enum Column { Severity, What, Times, First };
};
view::Table problemsTable(const Problems& problems, EventId position);

// Returns "error" or "warning".
std::string_view severityText(const Problem& problem);

}  // namespace shardlens
