#pragma once

#include "core/model/placement.h"

#include <cstdint>
#include <optional>
#include <string>

namespace shardlens {

// Placements of what a constructor in Python was given, or what is wrong with that.
Result<Shard> checkedShard(std::int64_t dim);
Result<StridedShard> checkedStridedShard(std::int64_t dim, std::int64_t splitFactor);
// A sum unless it is said; premul_sum, and nothing else, has a factor.
Result<Partial> checkedPartial(const std::optional<std::string>& op, std::optional<double> factor);
Result<NormPartial> checkedNormPartial(double norm);
Result<MaskPartial> checkedMaskPartial(const std::optional<std::string>& op,
                                       const std::optional<Shape>& offsetShape,
                                       std::int64_t offsetDim);

}  // namespace shardlens
