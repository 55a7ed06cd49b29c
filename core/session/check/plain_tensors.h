#pragma once

#include "core/session/calls.h"

#include <string>

namespace shardlens {

// Runs a scenario's calls on plain (unsharded) tensors, as the reference for a sharded run.
// Redistributions keep the values, except for a dtype change; placements, masks and ranks are
// ignored.
class PlainTensors final : public Tensors {
 public:
  static constexpr const char* kGivenInParts = "its parts were given one by one";
  // Returns why a step has no plain result to compare with, or "" if it has one.
  static std::string uncheckedReason(const ScenarioStep& step);

  // `sharded` are the sharded results of earlier steps. redistribute() uses their placements to
  // decide whether it returns an alias or a copy. Must outlive this object.
  explicit PlainTensors(const Values& sharded) : sharded_(sharded) {}

  at::Tensor tensor(const StepReader& step) override;
  // Always throws Refusal, because the scenario gives the parts and not the whole.
  at::Tensor fromLocals(const StepReader& step) override;
  at::Tensor redistribute(const StepReader& step) override;
  at::Tensor added(const AddedCall& call, const StepReader& step) override;
  at::Tensor onAllRanks(const at::Tensor& made, const at::Tensor&) override { return made; }

 private:
  // Returns true if the step redistributes to the placements that the tensor already has.
  bool keepsPlacements(const StepReader& step) const;

  const Values& sharded_;
};

}  // namespace shardlens
