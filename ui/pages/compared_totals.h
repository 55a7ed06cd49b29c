#pragma once

#include "core/view/tables/table.h"
#include "ui/models/run_totals.h"

namespace shardlens {

// Returns the totals of two recordings with the difference B − A, a row per quantity. Quantities
// that neither has are left out.
view::Table comparedTotals(const RunTotals& left, const RunTotals& right);

}  // namespace shardlens
