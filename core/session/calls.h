#pragma once

#include "core/session/runtimes.h"
#include "core/session/scenario/step_reader.h"

#include <vector>

namespace shardlens {

// What a step gave: one tensor under the step's id, several under id.0, id.1, ..., or nothing.
struct StepResult {
  std::vector<at::Tensor> tensors;
  enum class Form { Nothing, One, Several } form = Form::Nothing;
};

// Runs the call that a step names. Throws Refusal, or whatever libtorch throws.
StepResult runCall(Runtimes& runtimes, const Values& values, const ScenarioStep& step);

}  // namespace shardlens
