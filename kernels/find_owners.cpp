#include "kernels/owned.h"
#include "kernels/rows.h"

#include <algorithm>

namespace shardlens::kernels {

void findOwners(const Ids& ids, std::span<const std::int64_t> bounds, std::int32_t* owners,
                std::int64_t* counts) {
  const auto parts = static_cast<std::int64_t>(bounds.size()) - 1;
  std::fill_n(counts, parts, 0);
  withIds(ids, [&](const auto* data) {
    for (std::int64_t i = 0; i < ids.count; ++i) {
      const std::int64_t owner = partOf(bounds.data(), parts, data[i]);
      owners[i] = static_cast<std::int32_t>(owner);
      ++counts[owner];
    }
  });
}

}  // namespace shardlens::kernels
