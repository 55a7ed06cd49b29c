#pragma once

#include "core/plan/cost.h"

#include <filesystem>

namespace shardlens::cli {

// Reads the costs of a cluster from a JSON file, in which comments are allowed. Missing keys keep
// the defaults of CostModel. Returns an error that starts with the path if the file cannot be read,
// or for the first unknown key or value out of range. Example:
//
//   {"ranks_per_host": 8, "startup_us": 6.6,
//    "inside": {"gb_per_s": 87.7, "latency_us": 0.6},
//    "between": {"gb_per_s": 19.3, "latency_us": 2.7}}
Result<CostModel> readTopology(const std::filesystem::path& path);

}  // namespace shardlens::cli
