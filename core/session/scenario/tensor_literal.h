#pragma once

#include <ATen/core/Tensor.h>
#include <nlohmann/json_fwd.hpp>

namespace shardlens {

// A plain tensor as a scenario spells it out: "data", or a "fill" with a shape. Random fills draw
// from a generator of their own, so that every rank and PyTorch itself get the same numbers.
// Without data, as dry runs need it, it has a shape and a dtype and no more. Throws Refusal where
// it makes no tensor.
enum class Data { Made, LeftOut };
at::Tensor makeDense(const nlohmann::json& spec, Data data);

at::ScalarType readDType(const nlohmann::json& name);
std::vector<std::int64_t> readShape(const nlohmann::json& shape);

}  // namespace shardlens
