#pragma once

#include "core/model/spec.h"
#include "core/plan/transform_info.h"

#include <optional>

namespace shardlens {

// What a collective is thought to take: ring algorithms over links of one bandwidth and latency
// inside a host and another between hosts, with DTensor's figures. A mesh dimension leaves the host
// once it and those right of it hold more ranks than a host has.
struct CostModel {
  int ranksPerHost = 1;
  double bandwidth = 87.7;  // GB/s inside a host
  double latency = 0.6;     // microseconds a hop inside a host
  double betweenHostsBandwidth = 87.7 * 0.22;
  double betweenHostsLatency = 2.7;
  double startup = 6.6;  // microseconds a collective
};

// Microseconds that the plan's collectives take; nothing for what each rank does on its own. None
// where an operator must not choose the change by itself: a shard becoming a partial is left to an
// explicit redistribute.
std::optional<double> implicitCost(const CostModel& model, const Spec& current, const Plan& plan);

// Bytes that one rank receives over the plan.
std::int64_t receivedBytes(const Spec& current, const Plan& plan);

}  // namespace shardlens
