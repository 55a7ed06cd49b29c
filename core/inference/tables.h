#pragma once

#include "core/inference/inference.h"
#include "core/view/tables/table.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace shardlens {

std::string_view entryName(LedgerEntry::Kind kind);  // "reduced"
// Returns what an entry states: "summed by all_reduce", "divided by 2", "read by the optimizer".
std::string entryText(const LedgerEntry& entry);
// Returns what a collective spans: "dp (ranks 0,2|1,3)", "ranks 0-3" if no axis is known. Empty for
// other entries.
std::string overText(const LedgerEntry& entry, const std::vector<RankAxis>& axes);
// Returns what the entries add up to: "summed over dp, divided by 2". Empty if nothing happened.
std::string ledgerSummary(const GradientLedger& ledger, const std::vector<RankAxis>& axes);
// Returns the placements by the names of the axes: {"tp": "S(0)", "dp": null}. null is unknown.
nlohmann::ordered_json placementsByAxis(const std::vector<RankAxis>& axes,
                                        const std::vector<InferredPlacement>& placements);

// Returns a table with a row for each axis: the placement and why. Rows lead to the events that
// show it.
view::Table evidenceTable(const Journal& journal, const std::vector<RankAxis>& axes,
                          const std::vector<InferredPlacement>& placements);
// Returns a table with a row for each entry. Reductions that came too late are marked as errors.
view::Table ledgerTable(const Journal& journal, const std::vector<RankAxis>& axes,
                        const GradientLedger& ledger);

// Returns the newest ledger of each gradient of each stage.
std::vector<GradientLedger> newestLedgers(const std::vector<GradientLedger>& ledgers);

}  // namespace shardlens
