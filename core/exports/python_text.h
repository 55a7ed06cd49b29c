#pragma once

#include "core/base/result.h"
#include "core/model/mesh.h"
#include "core/model/placement.h"
#include "core/trace/journal/journal.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace shardlens {

// Conversions to Python source text, for the DTensor script of reproduction.h.

std::string pythonText(std::string_view text);                   // a string literal, with quotes
std::string pythonTuple(const std::vector<std::string>& items);  // "(a, b)"; "(a,)" for one item
std::string pythonMesh(const DeviceMesh& mesh);  // ((2, 2), ("dp", "tp"), (0, 1, 2, 3))
// Returns "[Shard(0), Replicate()]", or an error that names the placement DTensor lacks.
Result<std::string> pythonPlacements(const Placements& placements);

// Converts an argument of a scenario: "$w" becomes t["w"], a dtype's name torch.<dtype>, other
// strings are quoted.
std::string pythonArgument(const nlohmann::json& argument);
// Converts a JSON value. All strings are quoted.
std::string pythonLiteral(const nlohmann::json& value);

// Returns "[1, 2.5, nan]". The number of elements follows from the size of `elements`.
std::string pythonElements(DType dtype, const std::vector<std::byte>& elements);

}  // namespace shardlens
