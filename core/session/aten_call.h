#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/ivalue.h>
#include <nlohmann/json_fwd.hpp>

#include <functional>
#include <string>
#include <string_view>

namespace shardlens {

// Returns the value that "$name" refers to. Throws Refusal for an unknown name.
using Resolve = std::function<c10::IValue(std::string_view name)>;

// Returns libtorch's operator for "aten.NAME" or "aten.NAME.OVERLOAD", as "aten.sum.dim_IntList".
// Throws Refusal if it does not exist.
c10::OperatorHandle findOperator(std::string_view call);

// Converts a scenario's args and kwargs to the types in the operator's schema, calls the operator
// and returns its outputs. Throws Refusal for unknown, missing or malformed arguments, and passes
// on libtorch's exceptions.
torch::jit::Stack callOperator(const c10::OperatorHandle& op, const nlohmann::json& args,
                               const nlohmann::json& kwargs, const Resolve& resolve);

}  // namespace shardlens
