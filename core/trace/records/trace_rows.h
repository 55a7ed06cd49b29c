#pragma once

#include "core/model/mesh.h"
#include "core/model/placement.h"
#include "core/model/route.h"

#include <optional>
#include <string>
#include <string_view>

namespace shardlens {

// Convert shapes, placements, routes and meshes to and from the JSON in a recording's rows, which
// any SQL tool can read. The parsers return nullopt for other text.
std::string shapeJson(const Shape& shape);                 // [10,3]
std::string placementsJson(const Placements& placements);  // ["S(0)","R"]
std::string routeJson(const Route& route);                 // [["S(0)","R"],["R","R"]]
// {"shape":[2],"names":["tp"],"ranks":[0,2]}, as in scenarios.
std::string meshJson(const DeviceMesh& mesh);
// Also returns nullopt for a negative size, or more than 2^56 elements, so that element and byte
// counts fit in 64 bits.
std::optional<Shape> parseShapeJson(std::string_view text);
std::optional<Placements> parsePlacementsJson(std::string_view text);
// Also returns nullopt for an empty route, and for placements that no tensor of 64 dimensions can
// have.
std::optional<Route> parseRouteJson(std::string_view text);
std::optional<DeviceMesh> parseMeshJson(std::string_view text);

// Returns true if a tensor of this shape can have these placements: every sharded dimension exists,
// split factors are at most 2^16, and the offset shape of a MaskPartial is countable. Does not
// check the mesh.
bool fit(const Placements& placements, const Shape& shape);

}  // namespace shardlens
