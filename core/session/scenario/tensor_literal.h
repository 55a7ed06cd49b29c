#pragma once

#include <ATen/core/Tensor.h>
#include <nlohmann/json_fwd.hpp>

namespace shardlens {

// Whether tensors get their data, or are meta tensors with shape and dtype only (dry runs).
enum class Data { Made, LeftOut };
// Creates a plain tensor from a scenario's "data", or "fill" with "shape". Random fills use a
// separate generator, seeded by "seed" (default 0), so all ranks get the same numbers as PyTorch
// with that seed. Throws Refusal for an invalid description. The dtype is "dtype", or float32.
// "shape", if given with "data", reshapes it.
at::Tensor makeDense(const nlohmann::json& spec, Data data);

// Read a dtype name, as "float32", and a list of sizes of 0 or more. Throw Refusal for other
// values.
at::ScalarType readDType(const nlohmann::json& name);
std::vector<std::int64_t> readShape(const nlohmann::json& shape);

}  // namespace shardlens
