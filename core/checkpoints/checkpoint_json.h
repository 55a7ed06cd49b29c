#pragma once

#include "core/checkpoints/checkpoint_differences.h"
#include "core/checkpoints/tp_plan.h"

#include <nlohmann/json_fwd.hpp>

#include <vector>

namespace shardlens {

// The answers as JSON objects, for programs. The handbook describes the members.
nlohmann::ordered_json checkpointJson(const Checkpoint& checkpoint);
nlohmann::ordered_json planJson(const std::vector<HeldSlices>& plan);
// `right` is the second of the checkpoints that were compared.
nlohmann::ordered_json comparisonJson(const Checkpoint& right,
                                      const CheckpointComparison& comparison);

}  // namespace shardlens
