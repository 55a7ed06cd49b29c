#pragma once

#include "core/model/placement.h"

#include <limits>
#include <vector>

namespace shardlens {

// Returns distinct placements of every kind, with many values of every field.
inline std::vector<Placement> everyPlacement() {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const std::vector<double> numbers = {0, 0.1, 0.5, 1, 1.5, 2, 3, -2.5, 1e-300, 1e300, kInfinity};
  std::vector<Placement> every{Replicate{}};
  for (const int dim : {-3, -1, 0, 1, 2, 3, 17}) {
    every.push_back(Shard{dim});
    for (const int factor : {1, 2, 3, 8, 1000}) every.push_back(StridedShard{dim, factor});
  }
  for (int i = 0; i < static_cast<int>(ReduceOp::PremulSum); ++i) {
    const auto op = static_cast<ReduceOp>(i);
    every.push_back(Partial{op});
    for (const Shape& table : {Shape{1}, Shape{10, 3}, Shape{3, 10}, Shape{0, 7, 1}}) {
      for (int dim = 0; dim < static_cast<int>(table.size()); ++dim) {
        every.push_back(MaskPartial{op, table, dim});
      }
    }
  }
  for (const double number : numbers) {
    every.push_back(Partial{ReduceOp::PremulSum, number});
    every.push_back(NormPartial{number});
  }
  return every;
}

}  // namespace shardlens
