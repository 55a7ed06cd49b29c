#include "core/plan/tolls.h"

#include <algorithm>
#include <cmath>

namespace shardlens {
namespace {

std::int64_t scaled(double value, double unit) {
  constexpr double kMost = 1e17;  // leaves room for a sum of many
  return std::llround(std::min(value * unit, kMost));
}

std::int64_t picoseconds(double microseconds) { return scaled(microseconds, 1e6); }

}  // namespace

Tolls::Tolls(const CostModel& model, const Spec& current, const Layouts& layouts)
    : model_(model),
      current_(current),
      layouts_(layouts),
      wholeBytes_(static_cast<double>(elementCount(current.meta.shape)) *
                  dtypeSize(current.meta.dtype)) {
  for (int i = 0; i < layouts.ndim(); ++i) {
    meshDims_.assign(1, layouts.meshDim(i));
    const auto at = static_cast<std::size_t>(i);
    halfRing_[at] = rateOf(model, *current.mesh, meshDims_, Move::AllGather);
    fullRing_[at] = rateOf(model, *current.mesh, meshDims_, Move::AllReduce);
  }
}

Toll Tolls::of(Layout from, const Edge& edge) {
  if (!isCollective(edge.move)) return {0, 0, 0, 1};
  const double bytes = std::max(localBytes(cutDims(from)), localBytes(cutDims(edge.to)));
  CollectiveRate rate;
  if ((edge.dims & (edge.dims - 1)) == 0) {
    const auto& rates = edge.move == Move::AllReduce ? fullRing_ : halfRing_;
    rate = rates[static_cast<std::size_t>(__builtin_ctz(edge.dims))];
  } else {
    meshDims_.clear();
    for (int i = 0; i < layouts_.ndim(); ++i) {
      if ((edge.dims >> i & 1) != 0) meshDims_.push_back(layouts_.meshDim(i));
    }
    rate = rateOf(model_, *current_.mesh, meshDims_, edge.move);
  }
  return {picoseconds(rate.microseconds + bytes * rate.microsecondsPerByte), 1,
          scaled(bytes * rate.receivedPerByte, 256), 1};
}

// Each mesh dimension that has to lose a cut or a partial needs a collective of its own; those that
// change one cut for another may share one.
Toll Tolls::least(Layout from) const {
  Toll sum;
  std::int64_t recut = 0;
  bool recuts = false;
  for (int i = 0; i < layouts_.ndim(); ++i) {
    const Code now = Layouts::codeAt(from, i);
    const Code then = Layouts::codeAt(layouts_.target(), i);
    if (now == then || now == Layouts::kReplicate || layouts_.isPartial(then)) continue;
    const auto at = static_cast<std::size_t>(i);
    if (layouts_.isCut(now) && layouts_.isCut(then)) {
      if (layouts_.tensorDim(now) == layouts_.tensorDim(then)) continue;
      recuts = true;
      recut = std::max(recut, picoseconds(halfRing_[at].microseconds));
    } else {
      const bool reduces = layouts_.isPartial(now) && then == Layouts::kReplicate;
      sum.time += picoseconds((reduces ? fullRing_ : halfRing_)[at].microseconds);
      ++sum.collectives;
    }
  }
  sum.time += recut;
  sum.collectives += recuts ? 1 : 0;
  return sum;
}

Dims Tolls::cutDims(Layout layout) const {
  Dims cut = 0;
  for (int i = 0; i < layouts_.ndim(); ++i) {
    if (layouts_.isCut(Layouts::codeAt(layout, i))) cut |= 1U << i;
  }
  return cut;
}

double Tolls::localBytes(Dims cut) const {
  double bytes = wholeBytes_;
  for (int i = 0; i < layouts_.ndim(); ++i) {
    if ((cut >> i & 1) != 0) bytes /= layouts_.size(i);
  }
  return bytes;
}

}  // namespace shardlens
