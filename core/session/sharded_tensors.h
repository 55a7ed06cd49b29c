#pragma once

#include "core/session/calls.h"
#include "core/session/runtimes.h"
#include "core/session/scenario/tensor_literal.h"

#include <memory>

namespace shardlens {

// Creates sharded tensors on the scenario's mesh, or on a mesh that the step gives.
class ShardedTensors final : public Tensors {
 public:
  explicit ShardedTensors(Runtimes& runtimes) : runtimes_(runtimes) {}

  at::Tensor tensor(const StepReader& step) override;
  at::Tensor fromLocals(const StepReader& step) override;
  at::Tensor redistribute(const StepReader& step) override;
  at::Tensor added(const AddedCall& call, const StepReader& step) override;
  at::Tensor onAllRanks(const at::Tensor& made, const at::Tensor& other) override;
  void beginUnnamedResults() override;

 private:
  Data data() const { return runtimes_.areDry() ? Data::LeftOut : Data::Made; }
  // Returns the runtime of the step's mesh.
  std::shared_ptr<Runtime> runtimeOf(const StepReader& step);

  Runtimes& runtimes_;
};

}  // namespace shardlens
