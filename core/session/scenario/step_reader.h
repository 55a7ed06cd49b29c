#pragma once

#include "core/model/mesh.h"
#include "core/model/placement.h"
#include "core/model/shard_order.h"
#include "core/session/scenario/scenario.h"
#include "core/tensor/redistribute/redistribute.h"

#include <ATen/core/Tensor.h>

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace shardlens {

// The results of the steps so far, by name.
using Values = std::map<std::string, at::Tensor, std::less<>>;

// What a step says, key by key. Throws Refusal where a key is missing or holds something else than
// it has to, with what was expected.
class StepReader {
 public:
  StepReader(const ScenarioStep& step, const Values& values) : StepReader(step.json, values) {}
  // The same step, after steps with other results.
  StepReader after(const Values& values) const { return {body_, values}; }

  const nlohmann::json& body() const { return body_; }
  std::string call() const;
  nlohmann::json args() const;
  nlohmann::json kwargs() const;
  at::Tensor named(std::string_view name) const;
  at::Tensor tensorArg(std::size_t i) const;

  // The placements of a tensor of so many dimensions, cut in the order that the step says.
  Placements placements(const DeviceMesh& mesh, int ndim) const;
  // The mesh of its own, which may be this one with its ranks in another order.
  std::optional<DeviceMesh> mesh(const DeviceMesh& usual) const;
  std::optional<int> source() const;
  RedistributeTypes types() const;
  at::Tensor withGradient(at::Tensor tensor) const;

 private:
  StepReader(const nlohmann::json& body, const Values& values) : body_(body), values_(values) {}

  const nlohmann::json* find(const char* key) const;
  Placements writtenPlacements() const;
  ShardOrder shardOrder(const nlohmann::json& written, int ndim) const;
  std::optional<DType> dtype(const char* key) const;

  const nlohmann::json& body_;
  const Values& values_;
};

}  // namespace shardlens
