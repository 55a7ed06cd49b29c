#pragma once

#include "core/session/calls.h"

#include <string>

namespace shardlens {

// The tensors of a program as if they were not sharded: inputs are whole, and to move one leaves it
// as it is. Its masks, terms and ranks have no meaning here.
class PlainTensors final : public Tensors {
 public:
  static constexpr const char* kGivenInParts = "its parts were given one by one";
  // Why a step has no plain result to compare with; empty where it has.
  static std::string whyUnchecked(const ScenarioStep& step);

  // The sharded results so far tell which redistributions give the tensor itself.
  explicit PlainTensors(const Values& sharded) : sharded_(sharded) {}

  at::Tensor tensor(const StepReader& step) override;
  at::Tensor fromLocals(const StepReader& step) override;
  at::Tensor redistribute(const StepReader& step) override;
  at::Tensor shardedEmbedding(const StepReader& step) override;
  at::Tensor shardedEmbeddingBag(const StepReader& step) override;
  at::Tensor onAllRanks(const at::Tensor& made, const at::Tensor&) override { return made; }

 private:
  bool staysAsItLies(const StepReader& step) const;

  const Values& sharded_;
};

}  // namespace shardlens
