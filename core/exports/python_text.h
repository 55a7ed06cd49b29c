#pragma once

#include "core/base/result.h"
#include "core/model/mesh.h"
#include "core/model/placement.h"
#include "core/trace/journal/journal.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace shardlens {

// What a script for PyTorch's DTensor says, as Python writes it.

std::string pythonText(std::string_view text);  // with its quotes
std::string pythonTuple(const std::vector<std::string>& items);
std::string pythonMesh(const DeviceMesh& mesh);  // ((2, 2), ("dp", "tp"), (0, 1, 2, 3))
// "[Shard(0), Replicate()]". Refuses by name what DTensor has no placement for.
Result<std::string> pythonPlacements(const Placements& placements);

// An argument of a scenario: "$w" is t["w"], a dtype's name the dtype.
std::string pythonArgument(const nlohmann::json& argument);
// As it is.
std::string pythonLiteral(const nlohmann::json& value);

// "[1, 2.5, nan]", of so many elements.
std::string pythonElements(DType dtype, const std::vector<std::byte>& elements);

}  // namespace shardlens
