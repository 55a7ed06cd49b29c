#include "core/plan/search/edge_costs.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace shardlens {
namespace {

std::int64_t scaled(double value, double unit) {
  constexpr double kMost = 1e17;  // leaves room to add many
  const double all = value * unit;
  return std::llround(all < kMost ? all : kMost);
}

std::int64_t picoseconds(double microseconds) { return scaled(microseconds, 1e6); }

}  // namespace

EdgeCosts::EdgeCosts(const CostModel& model, const Spec& current, const PlacementCodec& codec)
    : model_(model), current_(current), codec_(codec), startup_(picoseconds(model.startup)) {
  localBytes_[0] =
      static_cast<double>(elementCount(current.meta.shape)) * dtypeSize(current.meta.dtype);
  for (int i = 0; i < codec.ndim(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    half_[at] = ringOf(i, Move::AllGather);
    full_[at] = ringOf(i, Move::AllReduce);
    const Dims bit = 1U << i;
    for (Dims inner = 0; inner < bit; ++inner) {
      localBytes_[bit | inner] = localBytes_[inner] / codec.size(i);
    }
  }
}

EdgeCosts::Ring EdgeCosts::ringOf(int i, Move move) {
  meshDims_.assign(1, codec_.meshDim(i));
  const CollectiveRate rate = rateOf(model_, *current_.mesh, meshDims_, move);
  return {rate, picoseconds(rate.microseconds)};
}

PathCost EdgeCosts::of(PlacementCode from, const Edge& edge) {
  if (!isCollective(edge.move)) return {0, 0, 0, 1};
  const double bytes = std::max(localBytes_[shardedDims(from)], localBytes_[shardedDims(edge.to)]);
  CollectiveRate rate;
  if ((edge.dims & (edge.dims - 1)) == 0) {
    const auto& rings = edge.move == Move::AllReduce ? full_ : half_;
    rate = rings[static_cast<std::size_t>(std::countr_zero(edge.dims))].rate;
  } else {
    meshDims_.clear();
    for (int i = 0; i < codec_.ndim(); ++i) {
      if ((edge.dims >> i & 1) != 0) meshDims_.push_back(codec_.meshDim(i));
    }
    rate = rateOf(model_, *current_.mesh, meshDims_, edge.move);
  }
  return {picoseconds(rate.microseconds + bytes * rate.microsecondsPerByte), 1,
          scaled(bytes * rate.receivedPerByte, 256), 1};
}

// Each mesh dimension that loses a shard or a partial needs a separate collective. Those that
// change one shard to another may share one: it has one startup and at least the hops of each.
PathCost EdgeCosts::lowerBound(PlacementCode from) const {
  PathCost sum;
  bool reshards = false;
  for (int i = 0; i < codec_.ndim(); ++i) {
    const Code now = PlacementCodec::codeAt(from, i);
    const Code then = PlacementCodec::codeAt(codec_.target(), i);
    if (now == then || now == PlacementCodec::kReplicate || codec_.isPartial(then)) continue;
    const auto at = static_cast<std::size_t>(i);
    if (codec_.isSharded(now) && codec_.isSharded(then)) {
      if (codec_.tensorDim(now) == codec_.tensorDim(then)) continue;
      reshards = true;
      sum.time += half_[at].least - startup_;
    } else {
      const bool reduces = codec_.isPartial(now) && then == PlacementCodec::kReplicate;
      sum.time += (reduces ? full_ : half_)[at].least;
      ++sum.collectives;
    }
  }
  if (reshards) {
    sum.time += startup_;
    ++sum.collectives;
  }
  return sum;
}

Dims EdgeCosts::shardedDims(PlacementCode state) const {
  Dims sharded = 0;
  for (int i = 0; i < codec_.ndim(); ++i) {
    if (codec_.isSharded(PlacementCodec::codeAt(state, i))) sharded |= 1U << i;
  }
  return sharded;
}

}  // namespace shardlens
