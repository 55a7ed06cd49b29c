#pragma once

#include "core/session/calls.h"
#include "core/trace/journal/recorder.h"
#include "core/trace/records/check_record.h"

#include <ATen/core/Tensor.h>
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace shardlens {

// Runs a program on plain tensors beside the sharded ones, step by step, and compares their
// results. A step's random numbers are drawn from where the sharded step began to draw its own.
// What has no plain result counts as it is from there on, so that later steps can be compared; that
// its copies are the same is all that can be checked of it.
class ResultCheck {
 public:
  // Before the sharded step.
  void begin();
  // After it: runs the plain one, and records what became of each result; of a step without any,
  // only where the plain one is refused, under its id. `sharded` are the results of the steps
  // before.
  void end(Recorder& recorder, const ScenarioStep& step, const Values& sharded,
           const std::vector<NamedResult>& results);

  bool allAgree() const { return allAgree_; }
  // A member for each result, see SCENARIO.md.
  const nlohmann::ordered_json& answer() const { return answer_; }

 private:
  struct Outcome {
    Verdict verdict;
    CheckRecord record;
  };

  Result<void> runPlain(const ScenarioStep& step, const Values& sharded);
  Outcome outcomeOf(const NamedResult& result);
  void adopt(const NamedResult& result);
  void note(Recorder& recorder, const std::string& result, TensorId tensor, const Outcome& outcome);

  Values plain_;
  at::Tensor drawnFrom_;  // the state of libtorch's generator
  bool allAgree_ = true;
  nlohmann::ordered_json answer_ = nlohmann::ordered_json::array();
};

}  // namespace shardlens
