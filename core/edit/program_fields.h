#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace shardlens {

// Something of a scenario that a person may change, as a line of text.
struct ProgramField {
  std::string object;  // the JSON pointer of what has it: "" the scenario, "/steps/2"
  std::string key;     // "placements"
  int axis = -1;       // of placements, for which mesh dimension
  std::string label;   // "placement on tp"
  std::string text;    // what it is; empty: it is left out
  std::string usual;   // what it is when left out; empty where it has to be there
  std::vector<std::string> choices = {};  // to choose from
  bool isOneOf = false;                   // and nothing else

  bool operator==(const ProgramField&) const = default;
  // Whether it is the same one, whatever it is now.
  bool isAt(const ProgramField& other) const {
    return object == other.object && key == other.key && axis == other.axis;
  }
};

// Of the whole: mesh, masking, emulate, planner, redistributions.
std::vector<ProgramField> wholeFields(const nlohmann::ordered_json& scenario);
// Of a step, from 0: placements, and what its call takes.
std::vector<ProgramField> stepFields(const nlohmann::ordered_json& scenario, int step);

// Its id; "step2" where it has none.
std::string stepName(const nlohmann::ordered_json& step, std::size_t place);
// "/steps/2"
std::string stepPlace(int step);
// The names of the axes of the mesh that a step's tensor lies on.
std::vector<std::string> axesOf(const nlohmann::ordered_json& scenario, int step);

}  // namespace shardlens
