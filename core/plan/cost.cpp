#include "core/plan/cost.h"

#include "core/model/shard_order.h"
#include "core/plan/local_bytes.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace shardlens {
namespace {

bool leavesHost(const CostModel& model, const DeviceMesh& mesh, int meshDim) {
  int ranks = 1;
  for (int dim = mesh.ndim() - 1; dim >= meshDim; --dim) ranks *= mesh.size(dim);
  return ranks > model.ranksPerHost;
}

bool leavesHost(const CostModel& model, const DeviceMesh& mesh, const std::vector<int>& meshDims) {
  return std::any_of(meshDims.begin(), meshDims.end(),
                     [&](int dim) { return leavesHost(model, mesh, dim); });
}

// Returns the rate of a ring in which each rank passes on `share` of the bytes in `hops` hops.
CollectiveRate rateOf(const CostModel& model, int hops, double share, bool betweenHosts) {
  constexpr double kGiB = 1024.0 * 1024.0 * 1024.0;
  const double bandwidth = betweenHosts ? model.betweenHostsBandwidth : model.bandwidth;
  const double latency = betweenHosts ? model.betweenHostsLatency : model.latency;
  // The limit keeps 0 bytes times the rate from becoming NaN for a bandwidth of 0.
  constexpr double kSlowest = std::numeric_limits<double>::max();
  return {model.startup + hops * latency, std::min(share / bandwidth * 1e6 / kGiB, kSlowest),
          share};
}

}  // namespace

int groupSize(const DeviceMesh& mesh, const std::vector<int>& meshDims) {
  int ranks = 1;
  for (const int dim : meshDims) ranks *= mesh.size(dim);
  return ranks;
}

CollectiveRate rateOf(const CostModel& model, const DeviceMesh& mesh,
                      const std::vector<int>& meshDims, Move move) {
  return rateOf(model, groupSize(mesh, meshDims), leavesHost(model, mesh, meshDims), move);
}

CollectiveRate rateOf(const CostModel& model, int ranks, bool betweenHosts, Move move) {
  const int hops = (move == Move::AllReduce ? 2 : 1) * (ranks - 1);
  return rateOf(model, hops, static_cast<double>(hops) / ranks, betweenHosts);
}

CollectiveRate linkRate(const CostModel& model, const DeviceMesh& mesh,
                        const std::vector<int>& meshDims) {
  return linkRate(model, leavesHost(model, mesh, meshDims));
}

CollectiveRate linkRate(const CostModel& model, bool betweenHosts) {
  return rateOf(model, /*hops=*/1, /*share=*/1.0, betweenHosts);
}

Price priceOf(const CostModel& model, const DeviceMesh& mesh, const TensorMeta& meta,
              const TransformInfo& step) {
  const double before = localBytes(mesh, meta, step.from);
  const double after = localBytes(mesh, meta, step.to);
  Price price;
  price.peak = step.move == Move::Relabel ? before : before + after;
  if (isCollective(step.move) && groupSize(mesh, step.meshDims) > 1) {
    const CollectiveRate rate = rateOf(model, mesh, step.meshDims, step.move);
    const double bytes = movesOwnedRows(step.move) ? after : std::max(before, after);
    price.microseconds = rate.microseconds + bytes * rate.microsecondsPerByte;
    price.received = bytes * rate.receivedPerByte;
  }
  return price;
}

Price priceOf(const CostModel& model, const Spec& current, const Plan& plan) {
  Price sum{0, 0, localBytes(*current.mesh, current.meta, current.placements)};
  for (const auto& step : plan) {
    const Price price = priceOf(model, *current.mesh, current.meta, step);
    sum.microseconds += price.microseconds;
    sum.received += price.received;
    sum.peak = std::max(sum.peak, price.peak);
  }
  return sum;
}

int collectiveCount(const DeviceMesh& mesh, const Plan& plan) {
  return static_cast<int>(std::count_if(plan.begin(), plan.end(), [&](const auto& step) {
    return isCollective(step.move) && groupSize(mesh, step.meshDims) > 1;
  }));
}

std::optional<double> implicitCost(const CostModel& model, const Spec& current, const Plan& plan) {
  double cost = 0;
  const bool hasOrder = shardOrderOf(current.placements, *current.mesh).has_value();
  for (const auto& step : plan) {
    if (step.move == Move::Pad) return std::nullopt;
    if (!isCollective(step.move)) continue;
    const CollectiveRate rate = rateOf(model, *current.mesh, step.meshDims, step.move);
    const double held = std::max(localBytes(*current.mesh, current.meta, step.from),
                                 localBytes(*current.mesh, current.meta, step.to));
    const double bytes = hasOrder ? held : 0;
    cost += rate.microseconds + bytes * rate.microsecondsPerByte;
    // As in DTensor: a group of one rank pays the startup, and an all_to_all pays an extra
    // microsecond.
    if (step.move == Move::AllToAll) cost += 1.0;
  }
  return cost;
}

std::int64_t receivedBytes(const Spec& current, const Plan& plan) {
  constexpr double kMost = 9e18;  // int64 holds this; tensors of a dry run may have any size
  return std::llround(std::min(priceOf({}, current, plan).received, kMost));
}

}  // namespace shardlens
