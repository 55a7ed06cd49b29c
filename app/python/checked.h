#pragma once

#include "core/model/placement.h"

#include <cstdint>
#include <optional>
#include <string>

namespace shardlens {

// Validation for the constructors of the Python placement classes. Each function returns the
// placement, or an error that names the wrong argument.

// Fails if `dim` does not fit an int. A negative dim is valid.
Result<Shard> checkedShard(std::int64_t dim);
// Fails as checkedShard(), and if `splitFactor` is less than 1 or does not fit an int.
Result<StridedShard> checkedStridedShard(std::int64_t dim, std::int64_t splitFactor);
// `op` defaults to sum. premul_sum requires a factor that is not NaN; other ops accept none.
Result<Partial> checkedPartial(const std::optional<std::string>& op, std::optional<double> factor);
// Fails if `norm` is NaN.
Result<NormPartial> checkedNormPartial(double norm);
// `op` defaults to sum. Requires a shape without negative sizes and an `offsetDim` within it.
Result<MaskPartial> checkedMaskPartial(const std::optional<std::string>& op,
                                       const std::optional<Shape>& offsetShape,
                                       std::int64_t offsetDim);

}  // namespace shardlens
