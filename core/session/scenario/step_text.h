#pragma once

#include "core/session/scenario/scenario.h"

#include <string>

namespace shardlens {

// Returns the step as a line of code for display: "w = tensor([10, 3], S(0))", "y =
// aten.embedding(w, x)". Long data is truncated.
std::string stepText(const ScenarioStep& step);

}  // namespace shardlens
