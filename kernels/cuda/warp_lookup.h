#pragma once

#include "kernels/cuda/grid.h"
#include "kernels/cuda/group.h"
#include "kernels/cuda/word.h"
#include "kernels/owned.h"

#include <cstdint>

namespace shardlens::kernels::cuda {

// A masked lookup by warps, for rows of kFewestWords to 32 words. A warp reads 16 ids at once, one
// per lane, and lists the rows that the shard has in shared memory. The lanes then form teams of
// one row each (Teams), which have up to 8 listed rows in flight. Masked ids are listed after these
// rows; their rows of the output are filled with zeros.
//
// Used from kFewestIds ids on, because fewer give too few warps to occupy a GPU.
template <class Word, class Id>
struct WarpLookup {
  using Group = Warp;
  static constexpr int kIds = 16;
  static constexpr int kRowsInFlight = 8;
  static constexpr std::int64_t kFewestWords = 8;
  static constexpr std::int64_t kFewestIds = 1 << 15;

  // `place` has the lanes of all ids: those of the `row`s first, then the masked ones.
  struct Shared {
    std::int64_t row[kIds];
    std::int32_t place[kIds];
  };

  const Word* table;
  RowRange rows;
  Teams teams;
  const Id* ids;
  std::int64_t count;
  Word* out;
  std::uint8_t* mask;  // may be null

  // Returns true if this kernel is used for rows of so many words and so many ids.
  static bool isFor(std::int64_t words, std::int64_t ids) {
    return words >= kFewestWords && words <= kWarp && ids >= kFewestIds;
  }
  Shape shape() const { return shapeFor(count, kIds * (kThreads / kWarp)); }

  SHARDLENS_HOST_DEVICE void operator()(const Warp& warp, const GroupPlace& at,
                                        Shared& list) const {
    for (std::int64_t first = at.group * kIds; first < count; first += at.groups * kIds) {
      const int all = count - first < kIds ? static_cast<int>(count - first) : kIds;
      PerThread<std::uint64_t, kWarp> row;
      const std::uint32_t owned = warp.ballot([&](int lane) {
        if (lane >= all) return false;
        row[lane] = rowInShard(ids[first + lane], rows);
        return isOwned(row[lane], rows);
      });
      warp.each([&](int lane) {
        if (lane >= all) return;
        const int before = bitCount(owned & bitsBelow(lane));
        const bool isMasked = (owned >> lane & 1) == 0;
        const int entry = isMasked ? bitCount(owned) + lane - before : before;
        list.place[entry] = lane;
        if (!isMasked) list.row[entry] = static_cast<std::int64_t>(row[lane]);
        if (mask != nullptr) mask[first + lane] = isMasked ? 1 : 0;
      });
      warp.each([&](int lane) { writeRows(lane, first, bitCount(owned), all, list); });
    }
  }

 private:
  // Writes one word of each row of the lane's team.
  SHARDLENS_HOST_DEVICE void writeRows(int lane, std::int64_t first, int owned, int all,
                                       const Shared& list) const {
    const int teamCount = kWarp >> teams.lanesLog2;
    const int team = lane >> teams.lanesLog2;
    const int word = lane & ((1 << teams.lanesLog2) - 1);
    if (word >= teams.words) return;
    for (int k = team; k < owned; k += teamCount * kRowsInFlight) {
      Word values[kRowsInFlight];
      SHARDLENS_UNROLLED
      for (int r = 0; r < kRowsInFlight; ++r) {
        const int entry = k + r * teamCount;
        if (entry < owned) values[r] = readWord(table + list.row[entry] * teams.words + word);
      }
      SHARDLENS_UNROLLED
      for (int r = 0; r < kRowsInFlight; ++r) {
        const int entry = k + r * teamCount;
        if (entry < owned) writeWord(toOf(first + list.place[entry]) + word, values[r]);
      }
    }
    for (int k = owned + team; k < all; k += teamCount) {
      writeWord(toOf(first + list.place[k]) + word, Word{});
    }
  }
  SHARDLENS_HOST_DEVICE Word* toOf(std::int64_t i) const { return out + i * teams.words; }
};

}  // namespace shardlens::kernels::cuda
