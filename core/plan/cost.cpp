#include "core/plan/cost.h"

#include <cmath>

namespace shardlens {
namespace {

struct Link {
  double bandwidth;
  double latency;
};

Link linkOf(const CostModel& model, const DeviceMesh& mesh, int meshDim) {
  int ranks = 1;
  for (int dim = mesh.ndim() - 1; dim >= meshDim; --dim) ranks *= mesh.size(dim);
  if (ranks > model.ranksPerHost) return {model.betweenHostsBandwidth, model.betweenHostsLatency};
  return {model.bandwidth, model.latency};
}

double ringMicroseconds(const CostModel& model, const Link& link, double bytes, int hops, int n) {
  constexpr double kGiB = 1024.0 * 1024.0 * 1024.0;
  return model.startup + hops * link.latency + bytes / kGiB * hops / n / link.bandwidth * 1e6;
}

double localBytes(const Spec& spec) {
  double bytes = static_cast<double>(elementCount(spec.meta.shape)) * dtypeSize(spec.meta.dtype);
  for (int dim = 0; dim < spec.mesh->ndim(); ++dim) {
    if (shardedDim(spec.placements[static_cast<std::size_t>(dim)])) bytes /= spec.mesh->size(dim);
  }
  return bytes;
}

}  // namespace

std::optional<double> implicitCost(const CostModel& model, const Spec& current, const Plan& plan) {
  double cost = 0;
  double bytes = localBytes(current);
  for (const auto& step : plan) {
    const int meshDim = step.meshDims.front();
    const auto& from = step.from[static_cast<std::size_t>(meshDim)];
    const auto& to = step.to[static_cast<std::size_t>(meshDim)];
    const int n = current.mesh->size(meshDim);
    const Link link = linkOf(model, *current.mesh, meshDim);
    const bool fromShard = shardedDim(from).has_value();
    const bool toShard = shardedDim(to).has_value();
    if (fromShard && isReplicate(to)) {
      bytes *= n;
      cost += ringMicroseconds(model, link, bytes, n - 1, n);
    } else if (fromShard && toShard) {
      // DTensor prices it as an all_gather and a little more; its choices are kept.
      cost += ringMicroseconds(model, link, bytes, n - 1, n) + 1.0;
    } else if (isPartial(from) && isReplicate(to)) {
      cost += ringMicroseconds(model, link, bytes, 2 * (n - 1), n);
    } else if (isPartial(from) && toShard) {
      cost += ringMicroseconds(model, link, bytes, n - 1, n);
      bytes /= n;
    } else if (isReplicate(from) && toShard) {
      bytes /= n;
    } else if (fromShard && isPartial(to)) {
      return std::nullopt;
    }
  }
  return cost;
}

std::int64_t receivedBytes(const Spec& current, const Plan& plan) {
  double received = 0;
  double bytes = localBytes(current);
  for (const auto& step : plan) {
    const int meshDim = step.meshDims.front();
    const auto& from = step.from[static_cast<std::size_t>(meshDim)];
    const auto& to = step.to[static_cast<std::size_t>(meshDim)];
    const double n = current.mesh->size(meshDim);
    const bool fromShard = shardedDim(from).has_value();
    const bool toShard = shardedDim(to).has_value();
    if (fromShard && isReplicate(to)) {
      received += bytes * (n - 1);
      bytes *= n;
    } else if (fromShard && toShard) {
      received += bytes * (n - 1) / n;
    } else if (isPartial(from) && isReplicate(to)) {
      received += 2 * bytes * (n - 1) / n;
    } else if (isPartial(from) && toShard) {
      received += bytes * (n - 1) / n;
      bytes /= n;
    } else if (isReplicate(from) && toShard) {
      bytes /= n;
    }
  }
  return std::llround(received);
}

}  // namespace shardlens
