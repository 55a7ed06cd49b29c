#include "kernels/owned.h"
#include "kernels/rows.h"

#include <algorithm>

namespace shardlens::kernels {

// A binary search without a branch, as no processor foretells which part it is.
void findOwners(const Ids& ids, std::span<const std::int64_t> bounds, std::int32_t* owners,
                std::int64_t* counts) {
  const auto parts = static_cast<std::int64_t>(bounds.size()) - 1;
  std::fill_n(counts, parts, 0);
  withIds(ids, [&](const auto* data) {
    for (std::int64_t i = 0; i < ids.count; ++i) {
      const std::int64_t* part = bounds.data();
      for (std::int64_t left = parts; left > 1;) {
        const std::int64_t half = left / 2;
        part = part[half] <= data[i] ? part + half : part;
        left -= half;
      }
      const auto owner = part - bounds.data();
      owners[i] = static_cast<std::int32_t>(owner);
      ++counts[owner];
    }
  });
}

}  // namespace shardlens::kernels
