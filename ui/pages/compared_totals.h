#pragma once

#include "core/trace/journal/journal.h"
#include "core/view/tables/table.h"

namespace shardlens {

// Returns the totals of two recordings with the difference B − A, a row per quantity. Quantities
// that neither has are left out.
view::Table comparedTotals(const Journal& left, const Journal& right);

}  // namespace shardlens
