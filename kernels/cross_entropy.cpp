#include "kernels/cross_entropy.h"

#include "kernels/loss_rows.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

namespace shardlens::kernels {
namespace {

// The scratch for a block of a row fits in the first-level cache.
constexpr std::int64_t kBlock = 1024;
// Partial accumulators of a sum: a compiler may not reorder a floating-point sum by itself.
constexpr std::int64_t kLanes = 16;

double expOf(double x) { return std::exp(x); }

// exp(x) = 2^n * exp(r) for x = n * ln 2 + r with |r| <= ln 2 / 2. Eight terms of the series are
// exact except for the last bit. Has no branch and no call, so that loops vectorise. Requires x <=
// 0.
float expOf(float x) {
  constexpr float kRound = 0x1.8p23F;  // adding it rounds to an integer, in the lowest bits
  constexpr float kLn2High = 0x1.62e4p-1F;
  constexpr float kLn2Low = 1.42860682e-6F;
  constexpr float kLowest = -87;
  const float rounded = x * 1.44269504F + kRound;
  const float n = rounded - kRound;
  const float r = x - n * kLn2High - n * kLn2Low;
  float series = 1.F / 5040;
  series = series * r + 1.F / 720;
  series = series * r + 1.F / 120;
  series = series * r + 1.F / 24;
  series = series * r + 1.F / 6;
  series = series * r + 1.F / 2;
  series = series * r + 1;
  series = series * r + 1;
  const auto power = std::bit_cast<float>((std::bit_cast<std::uint32_t>(rounded) + 127) << 23);
  // Below kLowest the result is 0. It is selected by bits because a branch would prevent
  // vectorisation.
  const auto kept = x < kLowest ? 0U : ~0U;
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(series * power) & kept);
}

// Returns term(0) + term(1) + ... + term(count - 1), summed in lanes.
template <class W, class Term>
W sumOf(std::int64_t count, Term term) {
  W lanes[kLanes] = {};
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (std::int64_t lane = 0; lane < kLanes; ++lane) lanes[lane] += term(i + lane);
  }
  for (; i < count; ++i) lanes[0] += term(i);
  W sum = 0;
  for (const W lane : lanes) sum += lane;
  return sum;
}

// Ignores NaN, because NaN reaches the result through the sum.
template <class W>
W maxOf(const W* x, std::int64_t count) {
  W lanes[kLanes];
  std::fill_n(lanes, kLanes, -std::numeric_limits<W>::infinity());
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (std::int64_t lane = 0; lane < kLanes; ++lane) {
      lanes[lane] = x[i + lane] > lanes[lane] ? x[i + lane] : lanes[lane];
    }
  }
  for (; i < count; ++i) lanes[0] = x[i] > lanes[0] ? x[i] : lanes[0];
  W max = lanes[0];
  for (const W lane : lanes) max = lane > max ? lane : max;
  return max;
}

// Converts a block of elements to the computed type; 32-bit and wider types are used in place.
template <class T>
class Widened {
 public:
  const Calculated<T>* of(const T* x, std::int64_t count) {
    if constexpr (sizeof(T) == 2) {
      for (std::int64_t i = 0; i < count; ++i) buffer_[i] = static_cast<float>(x[i]);
      return buffer_;
    } else {
      return x;
    }
  }

 private:
  Calculated<T> buffer_[sizeof(T) == 2 ? kBlock : 1];
};

// The CPU implementation of the two passes, for one element type.
template <class T>
class Loss : LossRows<T> {
  using W = Calculated<T>;
  using Sums = RowSum<W>;
  using Rows = LossRows<T>;

 public:
  using Rows::LossRows;

  void sum(RowRange rows, const RowSums& out) const {
    for (std::int64_t row = rows.begin; row < rows.begin + rows.count; ++row) {
      const Sums sums = isIgnored(row) ? Sums{0, 1, 0, 0} : sumRow(row);
      static_cast<W*>(out.max)[row] = sums.max;
      static_cast<W*>(out.sum)[row] = sums.sum;
      static_cast<W*>(out.mass)[row] = sums.mass;
      static_cast<W*>(out.dot)[row] = sums.dot;
    }
  }

  void grad(RowRange rows, const RowSums& sums, const LossGrads& grads, T* out) const {
    for (std::int64_t row = rows.begin; row < rows.begin + rows.count; ++row) {
      T* dx = out + row * classes;
      if (isIgnored(row)) {
        std::fill_n(dx, classes, T{});
      } else {
        const W grad = static_cast<const W*>(grads.data)[row * grads.stride];
        const W scale =
            grad * static_cast<const W*>(sums.mass)[row] / static_cast<const W*>(sums.sum)[row];
        gradRow(row, static_cast<const W*>(sums.max)[row], scale, grad, dx);
      }
    }
  }

 private:
  using Rows::classes, Rows::hasIds, Rows::isIgnored, Rows::isSpread, Rows::placeOf;
  using Rows::hard, Rows::soft, Rows::weight, Rows::probabilities;

  void share(std::int64_t row, std::int64_t begin, std::int64_t count, W* shares) const {
    if (hasIds()) {
      std::fill_n(shares, count, soft);
    } else {
      const T* p = probabilities + row * classes + begin;
      for (std::int64_t i = 0; i < count; ++i) shares[i] = hard * static_cast<W>(p[i]) + soft;
    }
    if (weight == nullptr) return;
    const T* some = weight + begin;
    for (std::int64_t i = 0; i < count; ++i) shares[i] *= static_cast<W>(some[i]);
  }

  Sums sumRow(std::int64_t row) const {
    const T* x = Rows::x + row * classes;
    Sums sums;
    Widened<T> widened;
    W shares[kBlock];
    for (std::int64_t begin = 0; begin < classes; begin += kBlock) {
      const std::int64_t count = std::min(kBlock, classes - begin);
      const W* block = widened.of(x + begin, count);
      sums.raise(maxOf(block, count), [](W x) { return expOf(x); });
      const W base = sums.base();
      sums.sum += sumOf<W>(count, [&](std::int64_t i) { return expOf(block[i] - base); });
      if (!isSpread()) continue;
      share(row, begin, count, shares);
      sums.mass += sumOf<W>(count, [&](std::int64_t i) { return shares[i]; });
      sums.dot += sumOf<W>(count, [&](std::int64_t i) { return shares[i] * (block[i] - base); });
    }
    this->addOwn(row, sums);
    return sums;
  }

  void gradRow(std::int64_t row, W max, W scale, W grad, T* dx) const {
    const T* x = Rows::x + row * classes;
    Widened<T> widened;
    W shares[kBlock];
    for (std::int64_t begin = 0; begin < classes; begin += kBlock) {
      const std::int64_t count = std::min(kBlock, classes - begin);
      const W* __restrict block = widened.of(x + begin, count);
      T* __restrict out = dx + begin;
      if (isSpread()) {
        share(row, begin, count, shares);
        for (std::int64_t i = 0; i < count; ++i) {
          out[i] = narrowed<T>(scale * expOf(block[i] - max) - grad * shares[i]);
        }
      } else {
        for (std::int64_t i = 0; i < count; ++i) {
          out[i] = narrowed<T>(scale * expOf(block[i] - max));
        }
      }
    }
    // Recomputes the row's own class, so that it is rounded only once.
    if (const std::int64_t place = placeOf(row); place >= 0) {
      const W own = this->weightOf(place) * (hard + soft);
      dx[place] = narrowed<T>(scale * expOf(static_cast<W>(x[place]) - max) - grad * own);
    }
  }
};

}  // namespace

void sumRows(const LogitShard& shard, const LossTarget& target, RowRange rows, const RowSums& out) {
  withFloats(shard.type,
             [&](auto element) { Loss<decltype(element)>(shard, target).sum(rows, out); });
}

void gradRows(const LogitShard& shard, const LossTarget& target, RowRange rows, const RowSums& sums,
              const LossGrads& grads, void* out) {
  withFloats(shard.type, [&](auto element) {
    using T = decltype(element);
    Loss<T>(shard, target).grad(rows, sums, grads, static_cast<T*>(out));
  });
}

}  // namespace shardlens::kernels
