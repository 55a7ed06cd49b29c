#pragma once

#include "core/ops/schema.h"

namespace shardlens {

// What becomes of the losses of many elements, by libtorch's numbers.
enum class LossReduction : std::int64_t { None, Mean, Sum };

inline LossReduction lossReduction(const OpSchema& call) {
  return static_cast<LossReduction>(std::get<std::int64_t>(call.arg("reduction")));
}

}  // namespace shardlens
