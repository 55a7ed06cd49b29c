#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace shardlens {

// On which lines of a file the parts of a scenario stand, which a JSON parser does not tell.
struct ScenarioLines {
  int object = 1;                   // where the scenario begins
  std::map<std::string, int> keys;  // its top-level keys
  std::vector<int> steps;           // the elements of "steps"

  int of(const std::string& key) const;  // the object's line where the key is missing
};

// The text is valid JSON, perhaps with comments; firstLine is the line at which it begins.
ScenarioLines locateLines(std::string_view text, int firstLine);

}  // namespace shardlens
