#pragma once

#include "app/cli/ink.h"
#include "core/plan/explain.h"

#include <nlohmann/json_fwd.hpp>

namespace shardlens::cli {

enum class Alternatives { Greedy, All };

// An explained plan as a person reads it, and as a program does.
std::string planText(const Spec& current, const Explanation& why, Alternatives shown, Ink ink);
nlohmann::ordered_json planJson(const Spec& current, const Placements& target,
                                const Explanation& why, Alternatives shown);

}  // namespace shardlens::cli
