#pragma once

#include "core/session/scenario.h"
#include "core/tensor/runtime.h"

#include <ATen/core/Tensor.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace shardlens {

// The results of the steps so far, by name.
using Values = std::map<std::string, at::Tensor, std::less<>>;

// What a step gave: one tensor under the step's id, several under id.0, id.1, ..., or nothing.
struct StepResult {
  std::vector<at::Tensor> tensors;
  enum class Form { Nothing, One, Several } form = Form::Nothing;
};

// Runs the call that a step names. Throws Refusal, or whatever libtorch throws.
StepResult runCall(const std::shared_ptr<Runtime>& runtime, const Values& values,
                   const ScenarioStep& step);

}  // namespace shardlens
