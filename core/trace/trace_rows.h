#pragma once

#include "core/model/mesh.h"
#include "core/trace/value.h"

#include <optional>
#include <string>
#include <string_view>

namespace shardlens {

// How shapes, placements and meshes stand in a recording's rows: as JSON, for any SQL tool to take
// apart. Reading gives nothing where the text is not of that form.
std::string shapeJson(const Shape& shape);                 // [10,3]
std::string placementsJson(const Placements& placements);  // ["S(0)","R"]
// {"shape":[2],"names":["tp"],"ranks":[0,2]}, as scenarios have it.
std::string meshJson(const DeviceMesh& mesh);
std::optional<Shape> parseShapeJson(std::string_view text);
std::optional<Placements> parsePlacementsJson(std::string_view text);
std::optional<DeviceMesh> parseMeshJson(std::string_view text);

}  // namespace shardlens
