#include "core/trace/records/trace_rows.h"

#include "core/base/json_text.h"

#include <algorithm>

namespace shardlens {

using nlohmann::json;

std::string shapeJson(const Shape& shape) { return jsonText(json(shape)); }

namespace {

json placementList(const Placements& placements) {
  json texts = json::array();
  for (const auto& placement : placements) texts.push_back(toText(placement));
  return texts;
}

std::optional<Placements> readPlacementList(const json& texts) {
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

}  // namespace

std::string placementsJson(const Placements& placements) {
  return jsonText(placementList(placements));
}

std::string routeJson(const Route& route) {
  json list = json::array();
  for (const auto& placements : route) list.push_back(placementList(placements));
  return jsonText(list);
}

std::string meshJson(const DeviceMesh& mesh) {
  nlohmann::ordered_json object;
  object["shape"] = mesh.shape();
  object["names"] = mesh.names();
  object["ranks"] = mesh.ranks();
  return jsonText(object);
}

bool isCountable(const Shape& shape) {
  constexpr std::int64_t kMost = std::int64_t{1} << 56;
  std::int64_t elements = 1;
  return std::all_of(shape.begin(), shape.end(), [&](std::int64_t size) {
    return size >= 0 &&
           !__builtin_mul_overflow(elements, std::max<std::int64_t>(size, 1), &elements) &&
           elements <= kMost;
  });
}

std::optional<Shape> parseShapeJson(std::string_view text) {
  const json sizes = parsedJson(text);
  if (!sizes.is_array()) return std::nullopt;
  Shape shape;
  for (const auto& size : sizes) {
    if (!size.is_number_integer()) return std::nullopt;
    shape.push_back(size.get<std::int64_t>());
  }
  return isCountable(shape) ? std::optional(std::move(shape)) : std::nullopt;
}

bool fit(const Placements& placements, const Shape& shape) {
  constexpr int kMostPieces = 1 << 16;
  return std::all_of(placements.begin(), placements.end(), [&](const Placement& placement) {
    const auto* strided = std::get_if<StridedShard>(&placement);
    if (strided != nullptr && strided->splitFactor > kMostPieces) return false;
    const auto* mask = std::get_if<MaskPartial>(&placement);
    if (mask != nullptr && !isCountable(mask->offsetShape)) return false;
    const auto dim = shardedDim(placement);
    return !dim || (*dim >= 0 && *dim < static_cast<int>(shape.size()));
  });
}

std::optional<Placements> parsePlacementsJson(std::string_view text) {
  return readPlacementList(parsedJson(text));
}

std::optional<Route> parseRouteJson(std::string_view text) {
  static const Shape kMost(64);
  const json list = parsedJson(text);
  if (!list.is_array() || list.empty()) return std::nullopt;
  Route route;
  for (const auto& texts : list) {
    auto placements = readPlacementList(texts);
    if (!placements || !fit(*placements, kMost)) return std::nullopt;
    route.push_back(std::move(*placements));
  }
  return route;
}

std::optional<DeviceMesh> parseMeshJson(std::string_view text) {
  const json object = parsedJson(text);
  try {
    const std::vector<int> shape = object.at("shape");
    const std::vector<std::string> names = object.at("names");
    const std::vector<int> ranks = object.at("ranks");
    const auto whole = DeviceMesh::make(shape, names);
    if (!whole || ranks.empty() || ranks.size() % static_cast<std::size_t>(whole->size()) != 0) {
      return std::nullopt;
    }
    std::vector<DeviceMesh> replicas;
    for (auto first = ranks.begin(); first != ranks.end(); first += whole->size()) {
      auto mesh = DeviceMesh::make(shape, names, {first, first + whole->size()});
      if (!mesh) return std::nullopt;
      replicas.push_back(std::move(*mesh));
    }
    return DeviceMesh::united(replicas);
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

}  // namespace shardlens
