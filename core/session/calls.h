#pragma once

#include "core/session/scenario/step_reader.h"

#include <string>
#include <vector>

namespace shardlens {

// The tensors that a program runs on, sharded ones or plain ones: what its calls do that make them,
// or say how they lie. All throw Refusal, or whatever libtorch throws.
class Tensors {
 public:
  virtual ~Tensors() = default;

  virtual at::Tensor tensor(const StepReader& step) = 0;
  virtual at::Tensor fromLocals(const StepReader& step) = 0;
  virtual at::Tensor redistribute(const StepReader& step) = 0;
  virtual at::Tensor shardedEmbedding(const StepReader& step) = 0;
  virtual at::Tensor shardedEmbeddingBag(const StepReader& step) = 0;

  // What libtorch's formulas make out of nothing, such as zeros for a gradient, is a plain tensor:
  // every rank of the other one's mesh has it.
  virtual at::Tensor onAllRanks(const at::Tensor& made, const at::Tensor& other) = 0;

  // What runs next is not yet the step's result, which gets its name at the end.
  virtual void expectOthersFirst() {}
};

// What a step gave: one tensor under the step's id, several under id.0, id.1, ..., or nothing.
struct StepResult {
  std::vector<at::Tensor> tensors;
  enum class Form { Nothing, One, Several } form = Form::Nothing;
};

// Runs the call that a step names. Throws Refusal, or whatever libtorch throws.
StepResult runCall(Tensors& tensors, const Values& values, const ScenarioStep& step);

struct NamedResult {
  std::string name;
  at::Tensor tensor;
};
// Without those that are undefined.
std::vector<NamedResult> namedResults(const ScenarioStep& step, StepResult result);

}  // namespace shardlens
