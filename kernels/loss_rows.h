#pragma once

#include "kernels/arithmetic.h"
#include "kernels/cross_entropy.h"
#include "kernels/owned.h"

#include <cstdint>
#include <limits>

namespace shardlens::kernels {

// Positive infinity.
template <class W>
inline constexpr W kInfinity = std::numeric_limits<W>::infinity();

// The sums of cross_entropy.h over some classes of one row. Sums of disjoint portions can be added.
template <class W>
struct RowSum {
  W max = -kInfinity<W>;
  W sum = 0;
  W mass = 0;
  W dot = 0;

  // Returns the offset of the exponents. It is 0 if all logits are -inf, so that their exponentials
  // are 0.
  SHARDLENS_HOST_DEVICE W base() const { return max == -kInfinity<W> ? W{0} : max; }
  // Rescales the sums to the maximum `to` if it is above theirs; expOf is the exponential function.
  template <class Exp>
  SHARDLENS_HOST_DEVICE void raise(W to, Exp expOf) {
    if (!(to > max)) return;
    const W shift = base() - to;
    if (sum != 0) sum *= expOf(shift);
    if (mass != 0) dot += mass * shift;
    max = to;
  }
  // Adds the sums of another portion of the row.
  template <class Exp>
  SHARDLENS_HOST_DEVICE void add(RowSum other, Exp expOf) {
    raise(other.max, expOf);
    other.raise(max, expOf);
    sum += other.sum;
    mass += other.mass;
    dot += other.dot;
  }
};

// A shard and its target, for a known element type.
template <class T>
struct LossRows {
  using W = Calculated<T>;

  const T* x;
  std::int64_t classes;
  const void* ids;
  IdType idType;
  const RowRange* runs;
  std::int64_t runCount;
  std::int64_t ignored;
  const T* probabilities;
  const T* weight;
  W hard;
  W soft;

  LossRows(const LogitShard& shard, const LossTarget& target)
      : x(static_cast<const T*>(shard.data)),
        classes(shard.classes),
        ids(target.ids.data),
        idType(target.ids.type),
        runs(target.runs),
        runCount(target.runCount),
        ignored(target.ignored),
        probabilities(static_cast<const T*>(target.probabilities)),
        weight(static_cast<const T*>(target.weight)),
        hard(static_cast<W>(target.hard)),
        soft(static_cast<W>(target.soft)),
        hasIds_(target.kind == TargetKind::Classes) {}

  SHARDLENS_HOST_DEVICE bool hasIds() const { return hasIds_; }
  SHARDLENS_HOST_DEVICE std::int64_t idOf(std::int64_t row) const {
    return idType == IdType::Int32 ? std::int64_t{static_cast<const std::int32_t*>(ids)[row]}
                                   : static_cast<const std::int64_t*>(ids)[row];
  }
  SHARDLENS_HOST_DEVICE bool isIgnored(std::int64_t row) const {
    return hasIds() && idOf(row) == ignored;
  }
  // Returns the index of the row's class in the shard, or -1 if the shard does not have it.
  SHARDLENS_HOST_DEVICE std::int64_t placeOf(std::int64_t row) const {
    if (!hasIds()) return -1;
    std::int64_t before = 0;
    for (std::int64_t i = 0; i < runCount; ++i) {
      const std::uint64_t at = rowInShard(idOf(row), runs[i]);
      if (isOwned(at, runs[i])) return before + static_cast<std::int64_t>(at);
      before += runs[i].count;
    }
    return -1;
  }

  // Returns the weight of the c-th class of the shard.
  SHARDLENS_HOST_DEVICE W weightOf(std::int64_t c) const {
    return weight == nullptr ? W{1} : widened(weight[c]);
  }
  // Returns true if classes other than the row's own have a share.
  SHARDLENS_HOST_DEVICE bool isSpread() const { return !hasIds() || soft != 0; }
  // Returns the share of a class, without the part that only the row's own class has.
  SHARDLENS_HOST_DEVICE W shareOf(std::int64_t row, std::int64_t c) const {
    const W share = hasIds() ? soft : hard * widened(probabilities[row * classes + c]) + soft;
    return weight == nullptr ? share : share * widened(weight[c]);
  }

  // Adds the part of the row's own class, if the shard has that class.
  SHARDLENS_HOST_DEVICE void addOwn(std::int64_t row, RowSum<W>& sums) const {
    const std::int64_t place = placeOf(row);
    if (place < 0) return;
    const W own = hard * weightOf(place);
    sums.mass += own;
    sums.dot += own * (widened(x[row * classes + place]) - sums.base());
  }

 private:
  bool hasIds_;
};

}  // namespace shardlens::kernels
