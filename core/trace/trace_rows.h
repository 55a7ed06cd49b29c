#pragma once

#include "core/trace/value.h"

#include <optional>
#include <string>
#include <string_view>

namespace shardlens {

// How shapes and placements stand in a recording's rows: JSON arrays, for any SQL tool to take
// apart. Reading gives nothing where the text is not of that form.
std::string shapeJson(const Shape& shape);                 // [10,3]
std::string placementsJson(const Placements& placements);  // ["S(0)","R"]
std::optional<Shape> parseShapeJson(std::string_view text);
std::optional<Placements> parsePlacementsJson(std::string_view text);

}  // namespace shardlens
