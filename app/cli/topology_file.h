#pragma once

#include "core/plan/cost.h"

#include <filesystem>

namespace shardlens::cli {

// The figures of a cluster, as a person writes them down; what is left out stays as it is:
//
//   {"ranks_per_host": 8, "startup_us": 6.6,
//    "inside": {"gb_per_s": 87.7, "latency_us": 0.6},
//    "between": {"gb_per_s": 19.3, "latency_us": 2.7}}
Result<CostModel> readTopology(const std::filesystem::path& path);

}  // namespace shardlens::cli
