#pragma once

#include "app/cli/engine_commands.h"
#include "core/plan/cost.h"
#include "core/session/backend.h"
#include "core/session/scenario/scenario.h"

#include <vector>

namespace shardlens::cli {

// Refuses, in all processes alike, where one of them is to run something else than the others:
// another scenario, or with options that would part their ways.
Result<void> expectSameProgram(const Backend& backend, const RunOptions& options,
                               const std::vector<Scenario>& scenarios, const CostModel& costs);

}  // namespace shardlens::cli
