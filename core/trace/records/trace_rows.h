#pragma once

#include "core/model/mesh.h"
#include "core/model/placement.h"

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
// What is read is a shape whose elements can be counted in 64 bits, and their bytes.
std::optional<Shape> parseShapeJson(std::string_view text);
std::optional<Placements> parsePlacementsJson(std::string_view text);
std::optional<DeviceMesh> parseMeshJson(std::string_view text);

// Whether a tensor of this shape can have these placements, on whatever mesh: they name dimensions
// that it has, and no more pieces than can be listed.
bool fit(const Placements& placements, const Shape& shape);

}  // namespace shardlens
