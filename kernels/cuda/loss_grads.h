#pragma once

#include "kernels/cuda/group.h"
#include "kernels/cuda/loss_lanes.h"
#include "kernels/cuda/pairs.h"

#include <cstdint>

namespace shardlens::kernels::cuda {

// Computes the gradients of rows, see Note [Lanes of a loss]. A team has up to a block of 1024
// threads, which leaves 64 registers per thread. A lane has 4 portions of floats in flight, or 2 of
// other types. The class of the row is corrected after the loop, by the thread that wrote it: a
// branch inside of the loop would move the portions to local memory.
template <class Lanes>
struct GradLossRows {
  using W = typename Lanes::W;
  using T = typename Lanes::Element;
  using Portion = typename Lanes::Portion;
  using Group = kernels::cuda::Group<1024>;
  static constexpr int kMostLanesLog2 = 10;
  static constexpr int kPortions = sizeof(T) == 4 ? 4 : 2;
  static constexpr int kCount = Lanes::kCount;
  struct Shared {};

  Lanes lanes;
  RowRange rows;
  SumsOfRows<W> sums;
  const W* grads;
  std::int64_t gradStride;
  T* out;

  SHARDLENS_HOST_DEVICE std::int64_t teams() const { return Group::kThreads >> lanes.lanesLog2; }

  SHARDLENS_HOST_DEVICE void operator()(const Group& block, const GroupPlace& at, Shared&) const {
    const std::int64_t stride = at.groups * teams();
    block.each([&](int thread) {
      for (std::int64_t i = at.group * teams() + lanes.team(thread); i < rows.count; i += stride) {
        write(rows.begin + i, lanes.lane(thread));
      }
    });
  }

 private:
  SHARDLENS_HOST_DEVICE void write(std::int64_t row, int lane) const {
    auto* dx = reinterpret_cast<Portion*>(out + row * lanes.loss.classes);
    if (lanes.loss.isIgnored(row)) {
      const Portion zeros = {};
      for (int at = lane; at < lanes.portions(); at += lanes.lanes()) writePack(dx + at, zeros);
      return;
    }
    const RowSum<W> all = sums.read(row);
    const W grad = grads[row * gradStride];
    const W factor = grad * all.mass / all.sum;
    const ExpFrom<W> expFrom(all.max);
    const W scale = factor * expFrom.scale();
    const Portion* x = lanes.portionsOf(row);
    for (int first = lane; first < lanes.portions(); first += kPortions * lanes.lanes()) {
      Portion portions[kPortions];
      SHARDLENS_UNROLLED
      for (int p = 0; p < kPortions; ++p) {
        const int at = first + p * lanes.lanes();
        if (at < lanes.portions()) portions[p] = readPack(x + at);
      }
      SHARDLENS_UNROLLED
      for (int p = 0; p < kPortions; ++p) {
        const int at = first + p * lanes.lanes();
        if (at < lanes.portions()) {
          writePack(dx + at, gradOf(row, at, portions[p], expFrom, scale, grad));
        }
      }
    }
    correctOwn(row, lane, expFrom, scale, grad);
  }

  SHARDLENS_HOST_DEVICE Portion gradOf(std::int64_t row, int at, const Portion& x,
                                       const ExpFrom<W>& expFrom, W scale, W grad) const {
    W shares[kCount] = {};
    if constexpr (Lanes::kShares != Shares::None) lanes.sharesOf(row, at, shares);
    W values[kCount];
    widen<T, kCount>(x, values);
    SHARDLENS_UNROLLED
    for (int e = 0; e < kCount; ++e) {
      values[e] = scale * expFrom.of(values[e]);
      if constexpr (Lanes::kShares != Shares::None) values[e] -= grad * shares[e];
    }
    return narrow<T, kCount>(values);
  }

  // Recomputes the element of the row's target class, so that it is rounded only once.
  SHARDLENS_HOST_DEVICE void correctOwn(std::int64_t row, int lane, const ExpFrom<W>& expFrom,
                                        W scale, W grad) const {
    const std::int64_t place = lanes.loss.placeOf(row);
    if (place < 0 || lanes.lane(static_cast<int>(place) / kCount) != lane) return;
    const std::int64_t at = row * lanes.loss.classes + place;
    const W share = lanes.loss.weightOf(place) * (lanes.loss.hard + lanes.loss.soft);
    out[at] = narrowed<T>(scale * expFrom.of(widened(lanes.loss.x[at])) - grad * share);
  }
};

// Queues gradRows(). See StreamQueue for `queue`. Does nothing for no rows or no classes.
template <class Queue>
void gradRowsOn(Queue& queue, const LogitShard& shard, const LossTarget& target, RowRange rows,
                const RowSums& sums, const LossGrads& grads, void* out) {
  if (rows.count <= 0 || shard.classes == 0) return;
  withLosses(shard, target, out, [&]<class Lanes>(Tag<Lanes>, const auto& loss) {
    using W = typename Lanes::W;
    using Grads = GradLossRows<Lanes>;
    const Grads body{Lanes::of(loss, Grads::kMostLanesLog2, Grads::kPortions),
                     rows,
                     SumsOfRows<W>(sums),
                     static_cast<const W*>(grads.data),
                     grads.stride,
                     static_cast<typename Lanes::Element*>(out)};
    queue.launchGroups(shapeFor(rows.count, body.teams()), body, "gradients of rows");
  });
}

}  // namespace shardlens::kernels::cuda
