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

// Results of earlier steps by name.
using Values = std::map<std::string, at::Tensor, std::less<>>;

// Typed access to the keys of a step. Functions throw Refusal, with got and expected, if a required
// key is missing or has a wrong value. Keeps references to the step and the values.
class StepReader {
 public:
  StepReader(const ScenarioStep& step, const Values& values) : StepReader(step.json, values) {}
  // Returns a reader of the same step with other results. It keeps a reference to the step's JSON
  // and to `values`.
  StepReader after(const Values& values) const { return {body_, values}; }

  const nlohmann::json& body() const { return body_; }
  // Returns the step's call, as "aten.sum".
  std::string call() const;
  // Returns "args", or [] if missing.
  nlohmann::json args() const;
  // Returns "kwargs", or {} if missing. Does not check that the value is an object.
  nlohmann::json kwargs() const;
  // Returns the result of this name (without "$").
  at::Tensor named(std::string_view name) const;
  // Returns the tensor that args[i] refers to.
  at::Tensor tensorArg(std::size_t i) const;

  // Returns "placements", validated for a tensor of `ndim` dimensions and ordered by "shard_order".
  Placements placements(const DeviceMesh& mesh, int ndim) const;
  // Returns the step's mesh: "mesh", or `usual` with its ranks in the order of "ranks". Returns
  // nullopt if the step has neither.
  std::optional<DeviceMesh> mesh(const DeviceMesh& usual) const;
  // Returns "source", the rank that holds the data; nullopt without it.
  std::optional<int> source() const;
  // Returns "forward_dtype" and "backward_dtype".
  RedistributeTypes types() const;
  // Applies "requires_grad" to the tensor, if given, and returns it.
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
