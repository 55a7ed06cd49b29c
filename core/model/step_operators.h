#pragma once

#include "core/model/event.h"

namespace shardlens {

// Returns false for the Step event of a step of a job whose operators were not observed. Such a
// step has its collectives and errors only: nothing follows from the operators that it lacks.
constexpr bool recordsOperators(const Event& step) { return step.verdict != Verdict::Off; }

}  // namespace shardlens
