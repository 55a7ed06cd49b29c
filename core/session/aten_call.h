#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/ivalue.h>
#include <nlohmann/json_fwd.hpp>

#include <functional>
#include <string>
#include <string_view>

namespace shardlens {

// Gives the value that a "$name" stands for; throws Refusal where nothing has the name.
using Resolve = std::function<c10::IValue(std::string_view name)>;

// "aten.sum.dim_IntList" to libtorch's operator. Throws Refusal where there is none.
c10::OperatorHandle findOperator(std::string_view call);

// Calls the operator with what the scenario's args and kwargs say under its schema.
torch::jit::Stack callOperator(const c10::OperatorHandle& op, const nlohmann::json& args,
                               const nlohmann::json& kwargs, const Resolve& resolve);

}  // namespace shardlens
