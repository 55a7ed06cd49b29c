#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace shardlens {

// A part of a scenario that the user can edit as one line of text.
struct ProgramField {
  std::string object;  // JSON pointer of the object with the key: "" is the scenario, "/steps/2"
  std::string key;     // "placements"
  int axis = -1;       // mesh dimension, for key "placements"; else -1
  std::string label;   // "placement on tp"
  std::string text;    // current value; empty if the key is missing
  std::string usual;   // default value for display; empty if there is none
  std::vector<std::string> choices = {};  // suggested values
  bool isOneOf = false;                   // only the choices are valid

  bool operator==(const ProgramField&) const = default;
  // Returns true if both address the same field; the remaining members may differ.
  bool isAt(const ProgramField& other) const {
    return object == other.object && key == other.key && axis == other.axis;
  }
};

// Returns the fields of the scenario itself: mesh, masking, emulate, planner, redistributions.
// `scenario` must come from readProgram(), here and below.
std::vector<ProgramField> wholeFields(const nlohmann::ordered_json& scenario);
// Returns the fields of a step (index from 0, which must exist): its placements and the arguments
// of its call.
std::vector<ProgramField> stepFields(const nlohmann::ordered_json& scenario, int step);

// Returns the step's id, or "step2" for a step at position 2 without an id.
std::string stepName(const nlohmann::ordered_json& step, std::size_t place);
// Returns the JSON pointer of a step: "/steps/2".
std::string stepPlace(int step);
// Returns the axis names of the step's own mesh, or of the scenario's mesh if the step has none.
// Empty if that mesh is not valid. The step must exist.
std::vector<std::string> axesOf(const nlohmann::ordered_json& scenario, int step);

}  // namespace shardlens
