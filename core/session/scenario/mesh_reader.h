#pragma once

#include "core/model/mesh.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <vector>

namespace shardlens {

// A mesh as a scenario spells it: {"shape": [2, 2], "names": ["dp", "tp"]}, perhaps with "ranks".
Result<DeviceMesh> readMesh(const nlohmann::json& mesh);

// A list of whole numbers, or of texts; none where it is something else.
std::optional<std::vector<int>> readNumbers(const nlohmann::json& list);
std::optional<std::vector<std::string>> readTexts(const nlohmann::json& list);

}  // namespace shardlens
