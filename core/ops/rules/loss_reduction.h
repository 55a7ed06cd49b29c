#pragma once

#include "core/ops/schema.h"

namespace shardlens {

// The reduction of a loss over its elements, numbered as in libtorch.
enum class LossReduction : std::int64_t { None, Mean, Sum };

// Returns the call's argument "reduction". Throws CheckFailed if the operator has none.
inline LossReduction lossReduction(const OpSchema& call) {
  return static_cast<LossReduction>(std::get<std::int64_t>(call.arg("reduction")));
}

}  // namespace shardlens
