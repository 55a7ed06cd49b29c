#pragma once

#include "app/cli/ink.h"
#include "core/plan/explain.h"

#include <nlohmann/json_fwd.hpp>

namespace shardlens::cli {

// The alternatives in the output. Greedy: DTensor's plan only, if it differs from the chosen one.
// All: all that the planner considered.
enum class Alternatives { Greedy, All };

// Return an explained plan as text for users, and as JSON. `current` must have a mesh. `why` must
// be the explanation of the plan from `current` to `target`. The text has the chosen plan with its
// steps and totals, then the cost of the greedy plan, a caveat if a cheaper plan may exist, and,
// for All, a table of the alternatives. The JSON has "plan" and "alternatives", each with its price
// and steps, as `shardlens plan --json` prints it.
std::string planText(const Spec& current, const Explanation& why, Alternatives shown, Ink ink);
nlohmann::ordered_json planJson(const Spec& current, const Placements& target,
                                const Explanation& why, Alternatives shown);

}  // namespace shardlens::cli
