#pragma once

#include "kernels/arithmetic.h"
#include "kernels/cuda/grid.h"
#include "kernels/cuda/group.h"
#include "kernels/cuda/sorted_ids.h"
#include "kernels/cuda/word.h"

#include <cstdint>

namespace shardlens::kernels::cuda {

// Adds one pack of a run's gradients to a pack of the table. Has 2 gradients in flight: most runs
// are that short, and more in flight would cost registers and so threads. `stride` is the packs of
// a row.
template <class T, int kCount>
SHARDLENS_HOST_DEVICE void addInOrder(Pack<T, kCount>* target, const Pack<T, kCount>* grads,
                                      std::int64_t stride, const std::uint32_t* positions,
                                      int length) {
  constexpr int kGradsInFlight = 2;
  Pack<T, kCount> sum = *target;
  for (int k = 0; k < length; k += kGradsInFlight) {
    Pack<T, kCount> some[kGradsInFlight];
    SHARDLENS_UNROLLED
    for (int g = 0; g < kGradsInFlight; ++g) {
      if (k + g >= length) continue;
      some[g] = readPack(grads + std::int64_t{positions[k + g]} * stride);
    }
    SHARDLENS_UNROLLED
    for (int g = 0; g < kGradsInFlight; ++g) {
      if (k + g >= length) continue;
      SHARDLENS_UNROLLED
      for (int e = 0; e < kCount; ++e) {
        sum.element[e] = roundedSum(sum.element[e], some[g].element[e]);
      }
    }
  }
  writePack(target, sum);
}

// Adds the runs of up to LongRuns::kLongestShort ids, and lists the longer ones for AddLongRuns.
//
// The lanes of a warp form teams (Teams) of one sorted id each. The warp looks at 32 sorted ids
// from the id of its first team on. A team whose id is the first of a run adds the run. Rows of
// more than 256 words are divided among slices of the grid; only slice 0 lists long runs.
template <class T, int kCount>
struct AddShortRuns {
  using Group = Warp;
  using P = Pack<T, kCount>;

  struct Shared {
    std::uint32_t positions[kWarp];
  };

  Teams teams;
  SortedIds ids;
  const P* grads;
  RowTable<P> out;
  LongRuns longRuns;

  // Returns teams of at least 2 lanes: a warp has 16 teams at most, so that the run of each is
  // inside of the 32 ids, if it is short.
  static Teams teamsOf(std::int64_t packs) {
    Teams teams = Teams::of(packs);
    if (teams.lanesLog2 == 0) teams.lanesLog2 = 1;
    return teams;
  }
  Shape shape() const { return teams.shape(ids.count, 1); }

  SHARDLENS_HOST_DEVICE void operator()(const Warp& warp, const GroupPlace& at,
                                        Shared& shared) const {
    const auto teamCount = static_cast<std::uint32_t>(kWarp >> teams.lanesLog2);
    const auto stride = static_cast<std::uint32_t>(at.groups) * teamCount;
    const auto count = static_cast<std::uint32_t>(ids.count);
    for (std::uint32_t first = static_cast<std::uint32_t>(at.group) * teamCount; first < count;
         first += stride) {
      warp.each([&](int lane) {
        const std::uint32_t i = first + lane;
        if (i < count) shared.positions[lane] = ids.positions[i];
      });
      // Bit i is set if the i-th of the 32 ids names the same row as the id before it.
      const std::uint32_t same = warp.ballot([&](int lane) {
        const std::uint32_t i = first + lane;
        return i > 0 && i < count && ids.rows[i] == ids.rows[i - 1];
      });
      warp.each([&](int lane) {
        const int team = lane >> teams.lanesLog2;
        const int length = lengthOf(first, team, same);
        if (length > 0 && length <= LongRuns::kLongestShort) {
          addRun(at, lane, first + team, shared.positions + team, length);
        }
      });
      if (at.slice == 0) listLongRuns(warp, first, teamCount, same);
    }
  }

 private:
  // Returns how many of the 32 ids are in the run that starts with the i-th of them, 0 if none
  // does.
  SHARDLENS_HOST_DEVICE int lengthOf(std::uint32_t first, int i, std::uint32_t same) const {
    if (first + i >= ids.count || (same >> i & 1) != 0 || ids.rows[first + i] == ids.none) return 0;
    return 1 + lowestBit(~(same >> i >> 1));
  }

  SHARDLENS_HOST_DEVICE void addRun(const GroupPlace& at, int lane, std::uint32_t begin,
                                    const std::uint32_t* positions, int length) const {
    P* const target = out.rowOf(ids, begin);
    teams.forWords(placeOf(at, lane), [&](std::int64_t word) {
      addInOrder(target + word, grads + word, teams.words, positions, length);
    });
  }

  SHARDLENS_HOST_DEVICE void listLongRuns(const Warp& warp, std::uint32_t first,
                                          std::uint32_t teamCount, std::uint32_t same) const {
    std::uint32_t left = warp.ballot([&](int lane) {
      return static_cast<std::uint32_t>(lane) < teamCount &&
             lengthOf(first, lane, same) > LongRuns::kLongestShort;
    });
    for (; left != 0; left &= left - 1) {
      const std::uint32_t begin = first + lowestBit(left);
      const std::uint32_t end = endOf(warp, begin);
      warp.each([&](int lane) {
        if (lane == 0) longRuns.runs[countOne(longRuns.count)] = {begin, end - begin};
      });
    }
  }

  // Returns the end of the run that starts at `begin`. Probes the next 32 ids, then 32 evenly
  // spaced ids of the remaining range, until that is empty.
  SHARDLENS_HOST_DEVICE std::uint32_t endOf(const Warp& warp, std::uint32_t begin) const {
    const std::uint32_t row = ids.rows[begin];
    // The end is in [low, high].
    std::uint32_t low = begin + 1, high = static_cast<std::uint32_t>(ids.count);
    for (std::uint32_t step = 1; low < high; step = (high - low + kWarp - 1) / kWarp) {
      const int in = bitCount(warp.ballot([&](int lane) {
        const std::uint32_t i = low + (lane + 1) * step - 1;
        return i < high && ids.rows[i] == row;
      }));
      const std::uint32_t firstOutside = low + (in + 1) * step - 1;
      if (in < kWarp && firstOutside < high) high = firstOutside;
      low += in * step;
    }
    return low;
  }
};

}  // namespace shardlens::kernels::cuda
