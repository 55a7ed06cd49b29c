#pragma once

#include "core/base/result.h"
#include "core/edit/program_fields.h"

#include <string>
#include <string_view>

namespace shardlens {

// The scenario that the text is. Refuses what is none: no JSON, no mesh, no steps. What else is
// wrong with it is said by who runs it.
Result<nlohmann::ordered_json> readProgram(std::string_view text);

// The scenario's text with a field as it was typed; what follows from it is changed too, as the
// placements of all steps where the mesh gets another axis. An empty text leaves the key out, if
// it may be. Refuses what cannot be meant, with what was got and expected.
Result<std::string> withField(const std::string& text, const ProgramField& field,
                              std::string_view typed);

}  // namespace shardlens
