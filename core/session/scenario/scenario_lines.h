#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace shardlens {

// Line numbers of a scenario's parts, which the JSON parser does not report.
struct ScenarioLines {
  int object = 1;                   // first line of the scenario
  std::map<std::string, int> keys;  // by top-level key
  std::vector<int> steps;           // by index in "steps"

  // Returns the line of a top-level key; `object` for a missing key.
  int of(const std::string& key) const;  // `object` for a missing key
};

// Locates the parts. `text` must be valid JSON, optionally with comments. `firstLine` is the number
// of its first line.
ScenarioLines locateLines(std::string_view text, int firstLine);

}  // namespace shardlens
