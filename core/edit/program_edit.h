#pragma once

#include "core/base/result.h"
#include "core/edit/program_fields.h"

#include <string>
#include <string_view>

namespace shardlens {

// Parses a scenario; comments are allowed. Returns an error if the text is not a JSON object with a
// mesh object and a list of step objects. Further mistakes are reported when the scenario runs.
Result<nlohmann::ordered_json> readProgram(std::string_view text);

// Returns the scenario's text with `field` set to the typed text. Keeps dependent keys consistent:
// a new mesh axis changes the placements of all steps on that mesh. An empty text removes an
// optional key. Returns an error with got and expected if the typed text is not valid, if `text` is
// not a scenario, or if it lacks the field's object.
Result<std::string> withField(const std::string& text, const ProgramField& field,
                              std::string_view typed);

}  // namespace shardlens
