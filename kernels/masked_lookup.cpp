#include "kernels/owned.h"
#include "kernels/rows.h"

#include <cstddef>
#include <cstring>

namespace shardlens::kernels {
namespace {

constexpr std::int64_t kLongestFixed = 512;
constexpr std::int64_t kAhead = 8;  // ids between a row's prefetch and its copy

alignas(64) constexpr std::byte kZeros[kLongestFixed] = {};

// Null where the shard does not have it.
template <class Id>
const std::byte* rowOf(const TableShard& shard, Id id) {
  const std::uint64_t row = rowInShard(id, shard.rows);
  const auto* base = static_cast<const std::byte*>(shard.data);
  return isOwned(row, shard.rows) ? base + row * static_cast<std::uint64_t>(shard.rowBytes)
                                  : nullptr;
}

// Rows of a size that the compiler knows: a masked row is a copy of zeros, so that which rank owns
// an id, which no processor can foretell, costs no branch.
template <std::size_t kBytes, class Id>
void lookUpFixed(const TableShard& shard, const Id* ids, std::int64_t count, std::byte* out,
                 std::uint8_t* mask) {
  for (std::int64_t i = 0; i < count; ++i, out += kBytes) {
    if (i + kAhead < count) __builtin_prefetch(rowOf(shard, ids[i + kAhead]));
    const std::byte* row = rowOf(shard, ids[i]);
    if (mask != nullptr) mask[i] = row == nullptr ? 1 : 0;
    std::memcpy(out, row == nullptr ? kZeros : row, kBytes);
  }
}

template <class Id>
void lookUpAny(const TableShard& shard, const Id* ids, std::int64_t count, std::byte* out,
               std::uint8_t* mask) {
  const auto bytes = static_cast<std::size_t>(shard.rowBytes);
  for (std::int64_t i = 0; i < count; ++i, out += bytes) {
    const bool owned = isOwned(rowInShard(ids[i], shard.rows), shard.rows);
    if (mask != nullptr) mask[i] = owned ? 0 : 1;
    if (bytes == 0) continue;
    if (owned) {
      std::memcpy(out, rowOf(shard, ids[i]), bytes);
    } else {
      std::memset(out, 0, bytes);
    }
  }
}

template <class Id>
void lookUp(const TableShard& shard, const Id* ids, std::int64_t count, std::byte* out,
            std::uint8_t* mask) {
  switch (shard.rowBytes) {
    case 4:
      return lookUpFixed<4>(shard, ids, count, out, mask);
    case 8:
      return lookUpFixed<8>(shard, ids, count, out, mask);
    case 16:
      return lookUpFixed<16>(shard, ids, count, out, mask);
    case 32:
      return lookUpFixed<32>(shard, ids, count, out, mask);
    case 64:
      return lookUpFixed<64>(shard, ids, count, out, mask);
    case 128:
      return lookUpFixed<128>(shard, ids, count, out, mask);
    case 256:
      return lookUpFixed<256>(shard, ids, count, out, mask);
    case kLongestFixed:
      return lookUpFixed<kLongestFixed>(shard, ids, count, out, mask);
    default:
      return lookUpAny(shard, ids, count, out, mask);
  }
}

}  // namespace

void maskedLookup(const TableShard& shard, const Ids& ids, void* out, std::uint8_t* mask) {
  withIds(ids, [&](const auto* data) {
    lookUp(shard, data, ids.count, static_cast<std::byte*>(out), mask);
  });
}

}  // namespace shardlens::kernels
