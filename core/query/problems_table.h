#pragma once

#include "core/query/problems.h"
#include "core/view/table.h"

namespace shardlens {

using Problems = std::shared_ptr<const std::vector<Problem>>;

// A row a problem; that of the event at this position is marked, the first of several.
struct ProblemsTable {
  enum Column { Severity, What, Times, First };
};
view::Table problemsTable(const Problems& problems, EventId position);

std::string_view severityText(const Problem& problem);

}  // namespace shardlens
