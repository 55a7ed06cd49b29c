#pragma once

#include "core/session/additions.h"
#include "core/session/scenario/step_reader.h"

#include <string>
#include <vector>

namespace shardlens {

// An interface for the calls of a scenario that create tensors or change placements. ShardedTensors
// implements it for sharded tensors, PlainTensors for plain ones. All functions throw Refusal or
// libtorch's exceptions.
class Tensors {
 public:
  virtual ~Tensors() = default;

  // Execute the calls of the same names in SCENARIO.md.
  virtual at::Tensor tensor(const StepReader& step) = 0;
  virtual at::Tensor fromLocals(const StepReader& step) = 0;
  virtual at::Tensor redistribute(const StepReader& step) = 0;
  // Executes a call that a library adds.
  virtual at::Tensor added(const AddedCall& call, const StepReader& step) = 0;

  // Returns `made` as a tensor on the mesh of `other`. libtorch's autograd formulas may create
  // plain tensors, such as zeros for a gradient; these are replicated.
  virtual at::Tensor onAllRanks(const at::Tensor& made, const at::Tensor& other) = 0;

  // Announces operators that run before the one that produces the step's result, so that they do
  // not get the step's name.
  virtual void beginUnnamedResults() {}
};

// The tensors that a step returned. They are named by the step's id (One), or id.0, id.1, ...
// (Several). Tensors may be undefined.
struct StepResult {
  std::vector<at::Tensor> tensors;
  enum class Form { Nothing, One, Several } form = Form::Nothing;
};

// Runs the call of a step. Throws Refusal, also for an unknown call, or libtorch's exceptions.
StepResult runCall(Tensors& tensors, const Values& values, const ScenarioStep& step);

// A tensor and its name in the scenario.
struct NamedResult {
  std::string name;
  at::Tensor tensor;
};
// Names the tensors of a result and drops undefined ones. Indices count the dropped ones.
std::vector<NamedResult> namedResults(const ScenarioStep& step, StepResult result);

}  // namespace shardlens
