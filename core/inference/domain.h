#pragma once

#include "core/model/placement.h"

#include <bit>
#include <cstdint>
#include <optional>
#include <vector>

namespace shardlens {

// A set of placements that a tensor may have along one axis, as bits; see PlacementCodes.
using Domain = std::uint64_t;

// Numbers the placements that occur, so that a set of them fits in a Domain. Codes 0 and 1 are
// fixed. A placement beyond the 64th is kOther.
class PlacementCodes {
 public:
  static constexpr int kReplicate = 0;
  // Values that differ between the ranks and are no placement of one whole tensor, or that no rule
  // describes.
  static constexpr int kOther = 1;

  int codeOf(const Placement& placement);
  // Requires a code that codeOf() has returned, other than kReplicate and kOther.
  const Placement& placementOf(int code) const {
    return known_[static_cast<std::size_t>(code - 2)];
  }
  // The partial sum and the partial average, which the recorded collectives do not distinguish: a
  // program divides before or after an all_reduce.
  Domain partialSums() { return bit(codeOf(Partial{})) | bit(codeOf(Partial{ReduceOp::Avg})); }
  // Shard on each dimension of a tensor.
  Domain shards(int ndim);
  // What a tensor of `ndim` dimensions can have: no shard of a dimension that it lacks.
  Domain possible(int ndim) const;

  static Domain bit(int code) { return Domain{1} << static_cast<unsigned>(code); }
  static constexpr Domain kAny = ~Domain{0};

 private:
  std::vector<Placement> known_;  // from code 2 on
};

inline bool has(Domain domain, int code) { return (domain & PlacementCodes::bit(code)) != 0; }
// Returns the only code of a domain; nullopt if it has none or several.
inline std::optional<int> onlyOf(Domain domain) {
  if (std::popcount(domain) != 1) return std::nullopt;
  return std::countr_zero(domain);
}

}  // namespace shardlens
