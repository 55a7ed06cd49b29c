#include "core/session/sharded_tensors.h"

#include "core/base/refusal.h"
#include "core/tensor/distribute.h"
#include "core/tensor/dtensor.h"

#include <ATen/ATen.h>

namespace shardlens {

std::shared_ptr<Runtime> ShardedTensors::runtimeOf(const StepReader& step) {
  const auto mesh = step.mesh(*runtimes_.scenarios()->mesh());
  return mesh ? runtimes_.on(*mesh) : runtimes_.scenarios();
}

at::Tensor ShardedTensors::tensor(const StepReader& step) {
  const auto runtime = runtimeOf(step);
  const auto whole = makeDense(step.body(), data());
  auto placements = step.placements(*runtime->mesh(), static_cast<int>(whole.dim()));
  const auto source = step.source();
  return source ? distributeFrom(runtime, *source, whole, std::move(placements))
                : distribute(runtime, whole, std::move(placements));
}

at::Tensor ShardedTensors::fromLocals(const StepReader& step) {
  const auto runtime = runtimeOf(step);
  const auto it = step.body().find("locals");
  if (it == step.body().end() || !it->is_array() || it->empty()) {
    throw Refusal("locals: got none, expected one for each rank");
  }
  Buffers locals;
  for (const auto& local : *it) locals.push_back(makeDense(local, data()));
  std::optional<Shape> shape;
  if (step.body().contains("shape")) shape = readShape(step.body().at("shape"));
  auto placements = step.placements(*runtime->mesh(), static_cast<int>(locals.front().dim()));
  return shardlens::fromLocals(runtime, locals, std::move(placements), shape);
}

at::Tensor ShardedTensors::redistribute(const StepReader& step) {
  const auto tensor = step.tensorArg(0);
  const DeviceMesh& mesh = *specOf(tensor).mesh;
  if (const auto other = step.mesh(mesh); other && *other != mesh) {
    throw Refusal("Cross device mesh comm not supported yet!");
  }
  const auto placements = step.placements(mesh, static_cast<int>(tensor.dim()));
  return shardlens::redistribute(tensor, placements, step.types());
}

at::Tensor ShardedTensors::added(const AddedCall& call, const StepReader& step) {
  return call.sharded(step);
}

at::Tensor ShardedTensors::onAllRanks(const at::Tensor& made, const at::Tensor& other) {
  if (isDTensor(made) || !isDTensor(other)) return made;
  const Placements whole(specOf(other).placements.size(), Replicate{});
  const auto held = made._is_zerotensor() ? at::zeros(made.sizes(), made.options()) : made;
  return distribute(dtensorImpl(other).sharedRuntime(), held, whole);
}

void ShardedTensors::beginUnnamedResults() { runtimes_.scenarios()->resultNames().setId({}); }

}  // namespace shardlens
