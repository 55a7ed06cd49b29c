#include "kernels/owned.h"
#include "kernels/row_copy.h"
#include "kernels/rows.h"

#include <algorithm>

namespace shardlens::kernels {
namespace {

// Returns null if the shard does not have the id's row.
const std::byte* rowOf(const TableShard& shard, std::int64_t id) {
  const std::uint64_t row = rowInShard(id, shard.rows);
  const auto* base = static_cast<const std::byte*>(shard.data);
  return isOwned(row, shard.rows) ? base + row * static_cast<std::uint64_t>(shard.rowBytes)
                                  : nullptr;
}

}  // namespace

void maskedLookup(const TableShard& shard, const Ids& ids, void* out, std::uint8_t* mask) {
  withIds(ids, [&](const auto* data) {
    for (std::int64_t i = 0; mask != nullptr && i < ids.count; ++i) {
      mask[i] = isOwned(rowInShard(data[i], shard.rows), shard.rows) ? 0 : 1;
    }
    if (shard.rowBytes == 0) return;
    writeRows(ids.count, shard.rowBytes, out,
              [data, shard](std::int64_t i) { return rowOf(shard, data[i]); });
  });
}

void ownedLookup(std::span<const TableShard> shards, const Ids& ids, const std::int32_t* owners,
                 void* out) {
  if (shards.empty() || shards.front().rowBytes == 0) return;
  const auto isElsewhere = [](const TableShard& shard) { return shard.data == nullptr; };
  const bool all = std::none_of(shards.begin(), shards.end(), isElsewhere);
  const auto isLeft = [&](std::int64_t i) { return !all && isElsewhere(shards[owners[i]]); };
  withIds(ids, [&](const auto* data) {
    writeRows(
        ids.count, shards.front().rowBytes, out,
        [data, owners, shards = shards.data()](std::int64_t i) {
          return rowOf(shards[owners[i]], data[i]);
        },
        isLeft);
  });
}

void putRows(const void* rows, std::int64_t rowBytes, std::span<const std::int64_t> positions,
             void* out) {
  const auto* from = static_cast<const std::byte*>(rows);
  auto* to = static_cast<std::byte*>(out);
  withRowBytes(rowBytes, [&](auto bytes) {
    for (const std::int64_t position : positions) {
      copyRow(to + position * rowBytes, from, bytes);
      from += bytes;
    }
  });
}

}  // namespace shardlens::kernels
