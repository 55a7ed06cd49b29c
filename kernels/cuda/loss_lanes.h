#pragma once

#include "kernels/cuda/grid.h"
#include "kernels/cuda/word.h"
#include "kernels/loss_rows.h"

#include <cmath>
#include <cstdint>

namespace shardlens::kernels::cuda {

// Splits the rows of a loss among lanes, as for lookups, but with up to a whole block per row. Each
// lane sums some of the classes; the sums of the lanes are then combined.

inline constexpr int kMostLossLanesLog2 = 8;
inline constexpr int kPacksAtOnce = 4;

// As on the CPU, exp(x) is 0 below -87.
struct ExpOf {
  SHARDLENS_HOST_DEVICE float operator()(float x) const { return x < -87.F ? 0.F : expf(x); }
  SHARDLENS_HOST_DEVICE double operator()(double x) const { return exp(x); }
};

template <class T>
struct LossLanes {
  using W = Calculated<T>;
  static constexpr int kPack = 16 / sizeof(T);

  LossRows<T> loss;
  int lanesLog2;
  bool inPacks;  // every row starts at a multiple of 16 bytes

  static LossLanes of(const LossRows<T>& loss, bool aligned) {
    LossLanes lanes{loss, 0, aligned && loss.classes % kPack == 0};
    const std::int64_t shares = ceilDiv(loss.classes, kPack * kPacksAtOnce);
    while (lanes.lanesLog2 < kMostLossLanesLog2 && (1 << lanes.lanesLog2) < shares) {
      ++lanes.lanesLog2;
    }
    return lanes;
  }

  SHARDLENS_HOST_DEVICE int lanes() const { return 1 << lanesLog2; }
  SHARDLENS_HOST_DEVICE std::int64_t teams() const { return kThreads >> lanesLog2; }
  SHARDLENS_HOST_DEVICE int lane(int thread) const { return thread & (lanes() - 1); }
  SHARDLENS_HOST_DEVICE std::int64_t team(int thread) const { return thread >> lanesLog2; }

  // Returns the sums of one lane's part of a row. A portion is kCount classes, and a lane does
  // every lanes()-th portion.
  SHARDLENS_HOST_DEVICE RowSum<W> sumOf(std::int64_t row, int lane) const {
    RowSum<W> sums;
    if (loss.isIgnored(row)) return sums;
    return inPacks ? sumPortions<kPack>(row, lane) : sumPortions<1>(row, lane);
  }

  // Completes the combined sums of all lanes.
  SHARDLENS_HOST_DEVICE RowSum<W> finished(std::int64_t row, RowSum<W> sums) const {
    if (loss.isIgnored(row)) return {0, 1, 0, 0};
    loss.addOwn(row, sums);
    return sums;
  }

  SHARDLENS_HOST_DEVICE void gradOf(std::int64_t row, int lane, RowSum<W> sums, W grad,
                                    T* out) const {
    inPacks ? gradPortions<kPack>(row, lane, sums, grad, out)
            : gradPortions<1>(row, lane, sums, grad, out);
  }

 private:
  // Calls f(portions, number of portions, first class of each portion).
  template <int kCount, class F>
  SHARDLENS_HOST_DEVICE void forPortions(std::int64_t row, int lane, F f) const {
    const auto* x = reinterpret_cast<const Pack<T, kCount>*>(loss.x + row * loss.classes);
    const std::int64_t all = loss.classes / kCount;
    for (std::int64_t first = lane; first < all; first += kPacksAtOnce * lanes()) {
      Pack<T, kCount> portions[kPacksAtOnce] = {};
      std::int64_t begins[kPacksAtOnce] = {};
      int count = 0;
      SHARDLENS_UNROLLED
      for (int p = 0; p < kPacksAtOnce; ++p) {
        const std::int64_t at = first + p * lanes();
        if (at >= all) continue;
        portions[p] = x[at];
        begins[p] = at * kCount;
        count = p + 1;
      }
      f(portions, count, begins);
    }
  }

  template <int kCount>
  SHARDLENS_HOST_DEVICE RowSum<W> sumPortions(std::int64_t row, int lane) const {
    const ExpOf expOf;
    RowSum<W> sums;
    forPortions<kCount>(row, lane, [&](const auto& portions, int count, const auto& begins) {
      W max = -kInfinity<W>;
      SHARDLENS_UNROLLED
      for (int p = 0; p < kPacksAtOnce; ++p) {
        if (p >= count) continue;
        SHARDLENS_UNROLLED
        for (int e = 0; e < kCount; ++e) {
          const W x = widened(portions[p].element[e]);
          max = x > max ? x : max;
        }
      }
      sums.raise(max, expOf);
      const W base = sums.base();
      SHARDLENS_UNROLLED
      for (int p = 0; p < kPacksAtOnce; ++p) {
        if (p >= count) continue;
        SHARDLENS_UNROLLED
        for (int e = 0; e < kCount; ++e) {
          const W x = widened(portions[p].element[e]) - base;
          sums.sum += expOf(x);
          if (!loss.isSpread()) continue;
          const W share = loss.shareOf(row, begins[p] + e);
          sums.mass += share;
          sums.dot += share * x;
        }
      }
    });
    return sums;
  }

  template <int kCount>
  SHARDLENS_HOST_DEVICE void gradPortions(std::int64_t row, int lane, RowSum<W> sums, W grad,
                                          T* out) const {
    const ExpOf expOf;
    const bool isIgnored = loss.isIgnored(row);
    const bool isSpread = loss.isSpread();
    const std::int64_t place = isIgnored ? -1 : loss.placeOf(row);
    const W scale = grad * sums.mass / sums.sum;
    auto* dx = reinterpret_cast<Pack<T, kCount>*>(out + row * loss.classes);
    forPortions<kCount>(row, lane, [&](const auto& portions, int count, const auto& begins) {
      SHARDLENS_UNROLLED
      for (int p = 0; p < kPacksAtOnce; ++p) {
        if (p >= count) continue;
        Pack<T, kCount> result = {};
        SHARDLENS_UNROLLED
        for (int e = 0; e < kCount; ++e) {
          if (isIgnored) continue;
          const std::int64_t c = begins[p] + e;
          W dxOf = scale * expOf(widened(portions[p].element[e]) - sums.max);
          if (c == place) {
            dxOf -= grad * (loss.weightOf(c) * (loss.hard + loss.soft));
          } else if (isSpread) {
            dxOf -= grad * loss.shareOf(row, c);
          }
          result.element[e] = narrowed<T>(dxOf);
        }
        dx[begins[p] / kCount] = result;
      }
    });
  }
};

template <class W>
struct SumsOfRows {
  W* max;
  W* sum;
  W* mass;
  W* dot;

  explicit SumsOfRows(const RowSums& sums)
      : max(static_cast<W*>(sums.max)),
        sum(static_cast<W*>(sums.sum)),
        mass(static_cast<W*>(sums.mass)),
        dot(static_cast<W*>(sums.dot)) {}

  SHARDLENS_HOST_DEVICE RowSum<W> read(std::int64_t row) const {
    return {max[row], sum[row], mass[row], dot[row]};
  }
  SHARDLENS_HOST_DEVICE void write(std::int64_t row, const RowSum<W>& sums) const {
    max[row] = sums.max;
    sum[row] = sums.sum;
    mass[row] = sums.mass;
    dot[row] = sums.dot;
  }
};

// The work of a block's threads on the rows that it does at a time, from `first` on. Each thread
// fills its entry. Then half of the lanes add the entries of the other half, repeatedly, with a
// synchronisation before each step. Threads whose team has no row left take part in the
// synchronisation.
template <class T>
struct SumBlock {
  using W = Calculated<T>;

  LossLanes<T> lanes;
  RowRange rows;
  SumsOfRows<W> out;

  SHARDLENS_HOST_DEVICE void fill(std::int64_t first, int thread, RowSum<W>* shared) const {
    const std::int64_t i = first + lanes.team(thread);
    shared[thread] = RowSum<W>{};
    if (i < rows.count) shared[thread] = lanes.sumOf(rows.begin + i, lanes.lane(thread));
  }
  SHARDLENS_HOST_DEVICE void combine(int distance, int thread, RowSum<W>* shared) const {
    if (lanes.lane(thread) < distance) shared[thread].add(shared[thread + distance], ExpOf{});
  }
  SHARDLENS_HOST_DEVICE void finish(std::int64_t first, int thread, const RowSum<W>* shared) const {
    const std::int64_t i = first + lanes.team(thread);
    if (lanes.lane(thread) != 0 || i >= rows.count) return;
    out.write(rows.begin + i, lanes.finished(rows.begin + i, shared[thread]));
  }
};

template <class T>
struct GradRows {
  using W = Calculated<T>;

  LossLanes<T> lanes;
  RowRange rows;
  SumsOfRows<W> sums;
  const W* grads;
  std::int64_t gradStride;
  T* out;

  SHARDLENS_HOST_DEVICE void operator()(const Place& at) const {
    const std::int64_t stride = at.blocks * lanes.teams();
    for (std::int64_t i = at.block * lanes.teams() + lanes.team(at.thread); i < rows.count;
         i += stride) {
      const std::int64_t row = rows.begin + i;
      lanes.gradOf(row, lanes.lane(at.thread), sums.read(row), grads[row * gradStride], out);
    }
  }
};

// Calls f with the split of a shard's rows among lanes. `out`, unless null, is a second buffer of the
// same shape whose alignment counts too.
template <class F>
void withLanes(const LogitShard& shard, const LossTarget& target, const void* out, F f) {
  withFloats(shard.type, [&](auto element) {
    using T = decltype(element);
    const bool aligned = (bitsOf(shard.data) | bitsOf(out)) % 16 == 0;
    f(LossLanes<T>::of(LossRows<T>(shard, target), aligned));
  });
}

template <class Queue>
void gradRowsOn(Queue& queue, const LogitShard& shard, const LossTarget& target, RowRange rows,
                const RowSums& sums, const LossGrads& grads, void* out) {
  if (rows.count <= 0 || shard.classes == 0) return;
  withLanes(shard, target, out, [&]<class T>(const LossLanes<T>& lanes) {
    using W = Calculated<T>;
    queue.launch(shapeFor(rows.count, lanes.teams()),
                 GradRows<T>{lanes, rows, SumsOfRows<W>(sums), static_cast<const W*>(grads.data),
                             grads.stride, static_cast<T*>(out)},
                 "gradients of rows");
  });
}

}  // namespace shardlens::kernels::cuda
