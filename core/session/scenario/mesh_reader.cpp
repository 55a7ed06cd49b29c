#include "core/session/scenario/mesh_reader.h"

#include "core/base/json_text.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>

namespace shardlens {
namespace {

using nlohmann::json;

tl::unexpected<Error> refuse(const json& mesh, const std::string& expected) {
  return fail("got \"mesh\": " + shown(mesh) + ", expected " + expected);
}

bool isInt(const json& value) {
  return value.is_number_integer() && value >= std::numeric_limits<int>::min() &&
         value <= std::numeric_limits<int>::max();
}

}  // namespace

std::optional<std::vector<int>> readNumbers(const json& list) {
  if (!list.is_array() || !std::all_of(list.begin(), list.end(), isInt)) return std::nullopt;
  return list.get<std::vector<int>>();
}

std::optional<std::vector<std::string>> readTexts(const json& list) {
  const auto isText = [](const json& value) { return value.is_string(); };
  if (!list.is_array() || !std::all_of(list.begin(), list.end(), isText)) return std::nullopt;
  return list.get<std::vector<std::string>>();
}

Result<DeviceMesh> readMesh(const json& mesh) {
  if (!mesh.is_object()) return refuse(mesh, R"({"shape": [2, 2], "names": ["dp", "tp"]})");
  const auto listed = [&](const char* key) { return mesh.value(key, json::array()); };
  auto shape = readNumbers(mesh.contains("shape") ? mesh["shape"] : json());
  if (!shape) return refuse(mesh, R"("shape" to be a list of whole numbers)");
  auto names = readTexts(listed("names"));
  if (!names) return refuse(mesh, R"("names" to be a list of names)");
  auto ranks = readNumbers(listed("ranks"));
  if (!ranks) return refuse(mesh, R"("ranks" to be a list of ranks)");
  return DeviceMesh::make(std::move(*shape), std::move(*names), std::move(*ranks));
}

}  // namespace shardlens
