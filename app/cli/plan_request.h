#pragma once

#include "app/cli/output.h"
#include "core/plan/planner.h"

#include <filesystem>
#include <optional>
#include <string>

namespace shardlens::cli {

// The options of `shardlens plan`, as given on the command line.
struct PlanOptions {
  std::string mesh;
  std::string shape;
  std::string dtype = "float32";
  std::string from;
  std::string to;
  std::string planner = "min-cost";
  std::optional<std::filesystem::path> topology;
  bool all = false;
  Output output = Output::Words;
};

// The parsed request of `shardlens plan`.
struct PlanRequest {
  Spec current;
  Placements target;
  PlannerKind planner = PlannerKind::MinCost;
  CostModel costs;
};

// Parses the options and reads the topology file. An error names the option or file, what it got
// and what it expected. Accepts a shape with or without brackets; an empty one is a scalar's.
// Dtypes have their full or short name ("f32"). Without a topology file, uses the default costs.
Result<PlanRequest> readPlanRequest(const PlanOptions& options);

}  // namespace shardlens::cli
