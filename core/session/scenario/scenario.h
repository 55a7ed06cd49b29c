#pragma once

#include "core/base/result.h"
#include "core/model/mesh.h"
#include "core/model/modes.h"
#include "core/plan/planner.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace shardlens {

// One step as it was written: what is wrong inside it is found when it runs, and refuses it.
struct ScenarioStep {
  std::string id;
  int line = 0;  // where it begins in the file, from 1
  nlohmann::json json;
};

// A program over one mesh (SCENARIO.md): steps that run in order.
struct Scenario {
  std::string path;
  std::string source;  // the text, as it stood in the file
  std::string title;
  DeviceMesh mesh;
  Masking masking = Masking::Fused;  // stepwise where something is emulated
  Emulation emulation = Emulation::None;
  PlannerKind planner = PlannerKind::MinCost;
  Redistributions redistributions = Redistributions::Implicit;
  std::vector<ScenarioStep> steps;
};

// Refuses with file, line and what was expected: not JSON, a newer version, no mesh, no steps.
// firstLine is the line of the file at which the text stands (for a line of a .jsonl file).
Result<Scenario> parseScenario(std::string_view text, std::string path, int firstLine = 1);

// A .json file is one scenario, a .jsonl file one a line; "-" is either, from standard input.
Result<std::vector<Scenario>> readScenarios(const std::filesystem::path& path);

}  // namespace shardlens
