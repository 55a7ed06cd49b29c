#pragma once

#include "app/cli/engine_commands.h"
#include "core/plan/cost.h"
#include "core/session/backend.h"
#include "core/session/scenario/scenario.h"

#include <vector>

namespace shardlens::cli {

// Returns an error, the same in all processes, if the processes do not run the same scenarios with
// the same options and costs. Throws RankLost if another process is lost. Collective.
Result<void> expectSameProgram(const Backend& backend, const RunOptions& options,
                               const std::vector<Scenario>& scenarios, const CostModel& costs);

}  // namespace shardlens::cli
