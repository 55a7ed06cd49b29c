#pragma once

#include "core/session/calls.h"
#include "core/session/check/rounding_bounds.h"
#include "core/session/check/unset_values.h"
#include "core/trace/recorder/recorder.h"
#include "core/trace/records/check_record.h"

#include <ATen/core/Tensor.h>
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace shardlens {

// Runs a scenario on plain tensors beside the sharded run, step by step, and compares results
// within RoundingBounds. Both runs of a step start from the same state of libtorch's random
// generator. If a step has no plain result, its sharded result is used in later plain steps. For
// from_locals, the check is then that replicas are equal.
class ResultCheck {
 public:
  // Saves the random generator's state. Call it before the sharded step.
  void begin();
  // Runs the plain step and records a check per result. Call it after the sharded step. A step
  // without results is recorded, under its id, only if the plain step is refused. `sharded` are the
  // results of earlier steps, `results` those of this step.
  void end(Recorder& recorder, const ScenarioStep& step, const Values& sharded,
           const std::vector<NamedResult>& results);

  // Returns false once a result differed or a plain step was refused.
  bool allAgree() const { return allAgree_; }
  // Returns the answer's list of checks, one element per result; see SCENARIO.md.
  const nlohmann::ordered_json& answer() const { return answer_; }

 private:
  struct Outcome {
    Verdict verdict;
    CheckRecord record;
  };

  // Runs the step on plain tensors and restores the generator's state.
  Result<void> runPlain(const ScenarioStep& step, const Values& sharded);
  Outcome outcomeOf(const NamedResult& result);
  // Uses the sharded result as the plain one in later steps.
  void adopt(const NamedResult& result);
  // Adds the outcome to the answer and the recording.
  void note(Recorder& recorder, const std::string& result, TensorId tensor, const Outcome& outcome);

  Values plain_;  // plain results by name
  RoundingBounds bounds_;
  UnsetValues unset_;
  at::Tensor drawnFrom_;  // generator state from begin()
  bool allAgree_ = true;
  nlohmann::ordered_json answer_ = nlohmann::ordered_json::array();
};

}  // namespace shardlens
