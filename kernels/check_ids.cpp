#include "kernels/owned.h"
#include "kernels/rows.h"

#include <algorithm>

namespace shardlens::kernels {
namespace {

// Returns the position of the first id outside the table. Tests whole blocks without branches and
// searches only the first bad block.
template <class Id>
std::optional<std::int64_t> firstOutside(const Id* ids, std::int64_t count, RowRange table) {
  constexpr std::int64_t kBlock = 256;
  const auto isOutside = [&](Id id) { return !isOwned(rowInShard(id, table), table); };
  for (std::int64_t begin = 0; begin < count; begin += kBlock) {
    const std::int64_t end = std::min(begin + kBlock, count);
    unsigned outside = 0;
    for (std::int64_t i = begin; i < end; ++i) outside |= isOutside(ids[i]) ? 1U : 0U;
    if (outside != 0) return std::find_if(ids + begin, ids + end, isOutside) - ids;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::int64_t> checkIds(const Ids& ids, std::int64_t tableRows) {
  return withIds(ids, [&](const auto* data) {
    return firstOutside(data, ids.count, RowRange{.begin = 0, .count = tableRows});
  });
}

}  // namespace shardlens::kernels
