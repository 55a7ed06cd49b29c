#pragma once

#include "core/session/scenario/scenario.h"

#include <string>

namespace shardlens {

// The step as a line of a program: "w = tensor([10, 3], S(0))", "y = aten.embedding(w, x)".
std::string stepText(const ScenarioStep& step);

}  // namespace shardlens
