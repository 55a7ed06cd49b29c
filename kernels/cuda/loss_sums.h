#pragma once

#include "kernels/cuda/group.h"
#include "kernels/cuda/loss_lanes.h"
#include "kernels/cuda/pairs.h"

#include <cstdint>

namespace shardlens::kernels {

#ifdef __CUDACC__
template <class W>
__device__ RowSum<W> fromThread(const RowSum<W>& sums, int distance) {
  return {cuda::fromThread(sums.max, distance), cuda::fromThread(sums.sum, distance),
          cuda::fromThread(sums.mass, distance), cuda::fromThread(sums.dot, distance)};
}
#endif

}  // namespace shardlens::kernels

namespace shardlens::kernels::cuda {

// Computes the sums of rows, see Note [Lanes of a loss]. A team has up to a block of 256 threads. A
// lane reads 4 portions ahead while it sums 4. Lanes of one warp combine their sums by shuffles,
// the warps of a team through shared memory.
template <class Lanes>
struct SumLossRows {
  using W = typename Lanes::W;
  using Portion = typename Lanes::Portion;
  // A portion as it is read. 16-bit elements would cost instructions to separate and join.
  using Word = typename Lanes::Word;
  using Group = kernels::cuda::Group<kThreads>;
  static constexpr int kMostLanesLog2 = 8;
  static constexpr int kPortions = 4;  // per lane at a time
  static constexpr int kPartialSums = 4;

  struct Shared {
    W max[kThreads / kWarp], sum[kThreads / kWarp], mass[kThreads / kWarp], dot[kThreads / kWarp];
  };

  Lanes lanes;
  RowRange rows;
  SumsOfRows<W> out;

  SHARDLENS_HOST_DEVICE std::int64_t teams() const { return kThreads >> lanes.lanesLog2; }

  SHARDLENS_HOST_DEVICE void operator()(const Group& block, const GroupPlace& at,
                                        Shared& shared) const {
    const std::int64_t stride = at.groups * teams();
    for (std::int64_t first = at.group * teams(); first < rows.count; first += stride) {
      PerThread<RowSum<W>, kThreads> sums;
      block.each([&](int thread) {
        const std::int64_t i = first + lanes.team(thread);
        sums[thread] = RowSum<W>{};
        if (i < rows.count) sums[thread] = sumOf(rows.begin + i, lanes.lane(thread));
      });
      const int inWarp = lanes.lanes() < kWarp ? lanes.lanes() : kWarp;
      for (int distance = inWarp / 2; distance > 0; distance /= 2) {
        block.combine(sums, distance, [](RowSum<W> a, const RowSum<W>& b) {
          a.add(b, ExpOf{});
          return a;
        });
      }
      if (lanes.lanes() > kWarp) addWarps(block, sums, shared);
      block.each([&](int thread) {
        const std::int64_t i = first + lanes.team(thread);
        if (lanes.lane(thread) != 0 || i >= rows.count) return;
        out.write(rows.begin + i, finished(rows.begin + i, sums[thread]));
      });
    }
  }

 private:
  // Adds the sums of a team's warps to its first lane.
  SHARDLENS_HOST_DEVICE void addWarps(const Group& block, PerThread<RowSum<W>, kThreads>& sums,
                                      Shared& shared) const {
    block.each([&](int thread) {
      if (thread % kWarp != 0) return;
      const int warp = thread / kWarp;
      shared.max[warp] = sums[thread].max;
      shared.sum[warp] = sums[thread].sum;
      shared.mass[warp] = sums[thread].mass;
      shared.dot[warp] = sums[thread].dot;
    });
    block.each([&](int thread) {
      if (lanes.lane(thread) != 0) return;
      const int first = thread / kWarp;
      for (int warp = first + 1; warp < first + lanes.lanes() / kWarp; ++warp) {
        sums[thread].add(
            RowSum<W>{shared.max[warp], shared.sum[warp], shared.mass[warp], shared.dot[warp]},
            ExpOf{});
      }
    });
  }

  // Returns the sums of one lane's portions of a row.
  SHARDLENS_HOST_DEVICE RowSum<W> sumOf(std::int64_t row, int lane) const {
    RowSum<W> sums;
    if (lanes.loss.isIgnored(row)) return sums;
    const Portion* x = lanes.portionsOf(row);
    Word next[kPortions];
    read(x, lane, next);
    const int stride = kPortions * lanes.lanes();
    for (int first = lane; first < lanes.portions(); first += stride) {
      W now[kPortions][Lanes::kCount];
      SHARDLENS_UNROLLED
      for (int p = 0; p < kPortions; ++p) {
        widen<typename Lanes::Element, Lanes::kCount>(next[p], now[p]);
      }
      read(x, first + stride, next);
      add(row, first, now, sums);
    }
    return sums;
  }

  // Reads portions from `first` on; those after the row are -inf, whose exponentials are 0.
  SHARDLENS_HOST_DEVICE void read(const Portion* x, int first, Word* words) const {
    Portion none;
    SHARDLENS_UNROLLED
    for (int e = 0; e < Lanes::kCount; ++e) {
      none.element[e] = narrowed<typename Lanes::Element>(-kInfinity<W>);
    }
    SHARDLENS_UNROLLED
    for (int p = 0; p < kPortions; ++p) {
      const int at = first + p * lanes.lanes();
      memcpy(&words[p], &none, sizeof none);
      if (at < lanes.portions()) words[p] = readWord(reinterpret_cast<const Word*>(x + at));
    }
  }

  SHARDLENS_HOST_DEVICE void add(std::int64_t row, int first,
                                 const W (&x)[kPortions][Lanes::kCount], RowSum<W>& sums) const {
    W max = sums.max;
    SHARDLENS_UNROLLED
    for (int p = 0; p < kPortions; ++p) {
      SHARDLENS_UNROLLED
      for (int e = 0; e < Lanes::kCount; ++e) max = fmax(x[p][e], max);  // ignores NaN
    }
    sums.raise(max, ExpOf{});
    const ExpFrom<W> expFrom(sums.base());
    W partial[kPartialSums] = {};
    SHARDLENS_UNROLLED
    for (int p = 0; p < kPortions; ++p) {
      SHARDLENS_UNROLLED
      for (int e = 0; e < Lanes::kCount; ++e) {
        partial[(p * Lanes::kCount + e) % kPartialSums] += expFrom.of(x[p][e]);
      }
    }
    sums.sum += ((partial[0] + partial[1]) + (partial[2] + partial[3])) * expFrom.scale();
    if constexpr (Lanes::kShares != Shares::None) {
      SHARDLENS_UNROLLED
      for (int p = 0; p < kPortions; ++p) {
        const int at = first + p * lanes.lanes();
        if (at >= lanes.portions()) continue;
        W shares[Lanes::kCount];
        lanes.sharesOf(row, at, shares);
        SHARDLENS_UNROLLED
        for (int e = 0; e < Lanes::kCount; ++e) {
          sums.mass += shares[e];
          sums.dot += shares[e] * (x[p][e] - sums.base());
        }
      }
    }
  }

  // Completes the combined sums of all lanes.
  SHARDLENS_HOST_DEVICE RowSum<W> finished(std::int64_t row, RowSum<W> sums) const {
    if (lanes.loss.isIgnored(row)) return {0, 1, 0, 0};
    lanes.loss.addOwn(row, sums);
    return sums;
  }
};

// Queues sumRows(). See StreamQueue for `queue`. Does nothing for no rows.
template <class Queue>
void sumRowsOn(Queue& queue, const LogitShard& shard, const LossTarget& target, RowRange rows,
               const RowSums& out) {
  if (rows.count <= 0) return;
  withLosses(shard, target, nullptr, [&]<class Lanes>(Tag<Lanes>, const auto& loss) {
    using Sums = SumLossRows<Lanes>;
    const Sums sums{Lanes::of(loss, Sums::kMostLanesLog2, Sums::kPortions), rows,
                    SumsOfRows<typename Lanes::W>(out)};
    queue.launchGroups(shapeFor(rows.count, sums.teams()), sums, "sums of rows");
  });
}

}  // namespace shardlens::kernels::cuda
