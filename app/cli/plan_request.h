#pragma once

#include "app/cli/output.h"
#include "core/plan/planner.h"

#include <filesystem>
#include <optional>
#include <string>

namespace shardlens::cli {

// As they are written.
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

// What `shardlens plan` is asked, read from the words of the command line and the topology file.
struct PlanRequest {
  Spec current;
  Placements target;
  PlannerKind planner = PlannerKind::MinCost;
  CostModel costs;
};

// What is wrong says which option or file it is, what it got and what it expected.
Result<PlanRequest> readPlanRequest(const PlanOptions& options);

}  // namespace shardlens::cli
