#pragma once

#include "app/cli/ink.h"
#include "core/plan/explain.h"

#include <nlohmann/json_fwd.hpp>

namespace shardlens::cli {

enum class Alternatives { Greedy, All };

// Return an explained plan as text for users, and as JSON. `shown` selects the alternatives.
std::string planText(const Spec& current, const Explanation& why, Alternatives shown, Ink ink);
nlohmann::ordered_json planJson(const Spec& current, const Placements& target,
                                const Explanation& why, Alternatives shown);

}  // namespace shardlens::cli
