#include "core/trace/trace_rows.h"

#include <nlohmann/json.hpp>

namespace shardlens {

using nlohmann::json;

std::string shapeJson(const Shape& shape) { return json(shape).dump(); }

std::string placementsJson(const Placements& placements) {
  json texts = json::array();
  for (const auto& placement : placements) texts.push_back(toText(placement));
  return texts.dump();
}

std::string meshJson(const DeviceMesh& mesh) {
  nlohmann::ordered_json object;
  object["shape"] = mesh.shape();
  object["names"] = mesh.names();
  object["ranks"] = mesh.ranks();
  return object.dump();
}

std::optional<Shape> parseShapeJson(std::string_view text) {
  const json sizes = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!sizes.is_array()) return std::nullopt;
  Shape shape;
  for (const auto& size : sizes) {
    if (!size.is_number_integer()) return std::nullopt;
    shape.push_back(size.get<std::int64_t>());
  }
  return shape;
}

std::optional<Placements> parsePlacementsJson(std::string_view text) {
  const json texts = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!texts.is_array()) return std::nullopt;
  Placements placements;
  for (const auto& one : texts) {
    if (!one.is_string()) return std::nullopt;
    auto placement = parsePlacement(one.get_ref<const std::string&>());
    if (!placement) return std::nullopt;
    placements.push_back(std::move(*placement));
  }
  return placements;
}

std::optional<DeviceMesh> parseMeshJson(std::string_view text) {
  const json object = json::parse(text, nullptr, /*allow_exceptions=*/false);
  try {
    auto mesh = DeviceMesh::make(object.at("shape"), object.at("names"), object.at("ranks"));
    return mesh ? std::optional(std::move(*mesh)) : std::nullopt;
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

}  // namespace shardlens
