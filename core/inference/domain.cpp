#include "core/inference/domain.h"

#include <algorithm>

namespace shardlens {

int PlacementCodes::codeOf(const Placement& placement) {
  constexpr std::size_t kMost = 62;
  if (isReplicate(placement)) return kReplicate;
  const auto found = std::find(known_.begin(), known_.end(), placement);
  if (found == known_.end() && known_.size() >= kMost) return kOther;
  const auto code = static_cast<int>(found - known_.begin()) + 2;
  if (found == known_.end()) known_.push_back(placement);
  return code;
}

Domain PlacementCodes::shards(int ndim) {
  Domain domain = 0;
  for (int dim = 0; dim < ndim; ++dim) domain |= bit(codeOf(Shard{dim}));
  return domain & ~bit(kOther);
}

Domain PlacementCodes::possible(int ndim) const {
  Domain domain = kAny;
  for (std::size_t i = 0; i < known_.size(); ++i) {
    const auto dim = shardedDim(known_[i]);
    if (dim && *dim >= ndim) domain &= ~bit(static_cast<int>(i) + 2);
  }
  return domain;
}

}  // namespace shardlens
