#pragma once

#include "kernels/cuda/exponents.h"
#include "kernels/cuda/grid.h"
#include "kernels/cuda/word.h"
#include "kernels/folds.h"
#include "kernels/loss_rows.h"

#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace shardlens::kernels::cuda {

// Note [Lanes of a loss]
// A team of 2^n threads processes one row; n grows with the number of classes, up to a whole block.
// A row is divided into portions of 16 bytes, or of one class if a buffer or the row size is not a
// multiple of 16 bytes. Each lane of the team processes every lanes()-th portion, several at a
// time. The kind of the target and the portion are template parameters, so that the loops over
// classes have no branches for them.

// The unsigned type of 2, 4 or 8 bytes.
template <std::size_t kBytes>
using UnsignedOf =
    std::conditional_t<kBytes == 2, std::uint16_t,
                       std::conditional_t<kBytes == 4, std::uint32_t, std::uint64_t>>;

// The classes that have a share of the target besides the row's own class.
enum class Shares : std::uint8_t { None, Equal, Probabilities };

// The division of a shard's rows among lanes. See Note [Lanes of a loss].
template <class T, Shares kSharesOf, bool kInPacks>
struct LossLanes {
  using W = Calculated<T>;
  using Element = T;
  static constexpr Shares kShares = kSharesOf;
  static constexpr int kCount = kInPacks ? 16 / sizeof(T) : 1;
  using Portion = Pack<T, kCount>;
  using Word = std::conditional_t<kInPacks, Word16, UnsignedOf<sizeof(T)>>;

  LossRows<T> loss;
  int lanesLog2;

  // `perLane` is the number of portions that a lane does at a time.
  static LossLanes of(const LossRows<T>& loss, int mostLanesLog2, int perLane) {
    LossLanes lanes{loss, 0};
    const std::int64_t shares = ceilDiv(loss.classes, kCount * perLane);
    while (lanes.lanesLog2 < mostLanesLog2 && (1 << lanes.lanesLog2) < shares) ++lanes.lanesLog2;
    return lanes;
  }

  // Returns the lanes of a team, and a thread's lane and team.
  SHARDLENS_HOST_DEVICE int lanes() const { return 1 << lanesLog2; }
  SHARDLENS_HOST_DEVICE int lane(int thread) const { return thread & (lanes() - 1); }
  SHARDLENS_HOST_DEVICE std::int64_t team(int thread) const { return thread >> lanesLog2; }
  // Returns the portions of a row.
  SHARDLENS_HOST_DEVICE int portions() const { return static_cast<int>(loss.classes) / kCount; }
  SHARDLENS_HOST_DEVICE const Portion* portionsOf(std::int64_t row) const {
    return reinterpret_cast<const Portion*>(loss.x + row * loss.classes);
  }

  // Computes the shares of a portion's classes, without the part that only the row's own class has.
  SHARDLENS_HOST_DEVICE void sharesOf(std::int64_t row, int portion, W* shares) const {
    SHARDLENS_UNROLLED
    for (int e = 0; e < kCount; ++e) shares[e] = loss.soft;
    if constexpr (kShares == Shares::Probabilities) {
      const Portion some = readPack(
          reinterpret_cast<const Portion*>(loss.probabilities + row * loss.classes) + portion);
      SHARDLENS_UNROLLED
      for (int e = 0; e < kCount; ++e) shares[e] += loss.hard * widened(some.element[e]);
    }
    if (loss.weight == nullptr) return;
    const Portion weights = readPack(reinterpret_cast<const Portion*>(loss.weight) + portion);
    SHARDLENS_UNROLLED
    for (int e = 0; e < kCount; ++e) shares[e] *= widened(weights.element[e]);
  }
};

// The arrays of a RowSums as typed pointers, indexed by row.
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

// Calls f with the Tag of the LossLanes for a shard and its target, and with the shard's rows.
// `out`, unless null, is a second buffer of the shard's shape whose alignment counts too. Throws
// std::runtime_error for 2^30 or more classes: portions have 32-bit numbers.
template <class F>
void withLosses(const LogitShard& shard, const LossTarget& target, const void* out, F f) {
  constexpr std::int64_t kMostClasses = (std::int64_t{1} << 30) - 1;
  if (shard.classes > kMostClasses) {
    throw std::runtime_error("cross entropy: got " + std::to_string(shard.classes) +
                             " classes of a shard, expected at most " +
                             std::to_string(kMostClasses));
  }
  withFloats(shard.type, [&]<class T>(T) {
    const LossRows<T> loss(shard, target);
    const auto bits = bitsOf(shard.data) | bitsOf(out) | bitsOf(loss.weight) |
                      (loss.hasIds() ? 0 : bitsOf(loss.probabilities)) |
                      static_cast<std::uint64_t>(shard.classes) * sizeof(T);
    const auto withShares = [&]<Shares kShares>(std::integral_constant<Shares, kShares>) {
      if (bits % 16 == 0) {
        f(Tag<LossLanes<T, kShares, true>>(), loss);
      } else {
        f(Tag<LossLanes<T, kShares, false>>(), loss);
      }
    };
    if (!loss.hasIds()) {
      withShares(std::integral_constant<Shares, Shares::Probabilities>());
    } else if (loss.soft != 0) {
      withShares(std::integral_constant<Shares, Shares::Equal>());
    } else {
      withShares(std::integral_constant<Shares, Shares::None>());
    }
  });
}

}  // namespace shardlens::kernels::cuda
