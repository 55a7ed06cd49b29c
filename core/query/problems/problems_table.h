#pragma once

#include "core/query/problems/problems.h"
#include "core/view/tables/table.h"

namespace shardlens {

using Problems = std::shared_ptr<const std::vector<Problem>>;

// A table of problems, one per row of two lines: what it is, and whereText(). Marks the first
// problem that contains the event `position`. The table shares ownership of `problems`.
struct ProblemsTable {
  enum Column { Severity, What, Times, First };
};
view::Table problemsTable(const Problems& problems, EventId position);

// Returns where a problem occurs, what it costs and why, as far as it is known: "train.py:12 ·
// layers.3.down · 96 KiB · 3 calls · w3 is S(0), w0-2 are S(1)".
std::string whereText(const Problem& problem);

// Returns "error" or "warning".
std::string_view severityText(const Problem& problem);

}  // namespace shardlens
