#pragma once

#include "core/model/mesh.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <vector>

namespace shardlens {

// Reads a scenario's mesh: {"shape": [2, 2], "names": ["dp", "tp"]}. "names" and "ranks" are
// optional. Returns an error with the value got and what was expected.
Result<DeviceMesh> readMesh(const nlohmann::json& mesh);

// Return the list, or nullopt if it is not a list of 32-bit integers, or of texts.
std::optional<std::vector<int>> readNumbers(const nlohmann::json& list);
std::optional<std::vector<std::string>> readTexts(const nlohmann::json& list);

}  // namespace shardlens
