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

// One unchecked step of a scenario. Errors inside it are reported when it runs.
struct ScenarioStep {
  std::string id;       // "id" of the step, else "stepN"
  int line = 0;         // first line in the file, from 1
  nlohmann::json json;  // an object with a text "call"
};

// A parsed scenario: a program of steps that run in order on one mesh. See SCENARIO.md.
struct Scenario {
  std::string path;
  std::string source;  // text of the file; for .jsonl, of its line
  std::string title;
  DeviceMesh mesh;
  Masking masking = Masking::Fused;  // Stepwise with any emulation
  Emulation emulation = Emulation::None;
  PlannerKind planner = PlannerKind::MinCost;
  Redistributions redistributions = Redistributions::Implicit;
  std::vector<ScenarioStep> steps;
};

// Parses one scenario. Returns an error with file, line, got and expected, for example for invalid
// JSON, a newer version, or a missing mesh or steps. `firstLine` is the line of the file on which
// `text` begins (for .jsonl).
Result<Scenario> parseScenario(std::string_view text, std::string path, int firstLine = 1);

// Reads a file: one scenario in .json, one per line in .jsonl. "-" reads either form from standard
// input. Returns an error if the file is empty or any scenario is invalid.
Result<std::vector<Scenario>> readScenarios(const std::filesystem::path& path);

}  // namespace shardlens
