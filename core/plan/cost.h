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

  bool operator==(const CostModel&) const = default;
};

// What one step, or a plan, takes of each rank. Bytes are the mean over the ranks.
struct Price {
  double microseconds = 0;
  double received = 0;  // bytes
  double peak = 0;      // bytes held at once: what a step reads and what it makes
};

// A collective over the ranks that differ along these mesh dimensions, over the slowest link among
// them: so much for itself, and so much for each byte of what a rank holds before or after, of
// whichever is more.
struct CollectiveRate {
  double microseconds = 0;
  double microsecondsPerByte = 0;
  double receivedPerByte = 0;
};
CollectiveRate rateOf(const CostModel& model, const DeviceMesh& mesh,
                      const std::vector<int>& meshDims, Move move);
// The same among so many ranks, of one host or several.
CollectiveRate rateOf(const CostModel& model, int ranks, bool betweenHosts, Move move);

// What each rank sends to the ones before and after it, both at once: for each byte that a rank
// receives.
CollectiveRate neighbourRate(const CostModel& model, const DeviceMesh& mesh,
                             const std::vector<int>& meshDims);
CollectiveRate neighbourRate(const CostModel& model, bool betweenHosts);

// The ranks that differ along these mesh dimensions.
int groupSize(const DeviceMesh& mesh, const std::vector<int>& meshDims);

// A step among groups of one rank costs nothing, as one that each rank does on its own. Owned rows
// are priced as if each rank owned equally many.
Price priceOf(const CostModel& model, const DeviceMesh& mesh, const TensorMeta& meta,
              const TransformInfo& step);
Price priceOf(const CostModel& model, const Spec& current, const Plan& plan);

// The collectives among groups of more than one rank.
int collectiveCount(const DeviceMesh& mesh, const Plan& plan);

// Microseconds that the plan's collectives take as DTensor estimates them when an operator chooses
// among strategies. Collectives alone count for a tensor whose cuts no order of mesh dimensions
// makes: DTensor knows no price for those, and takes the first strategy. None where an operator
// must not choose the change by itself: a shard becoming a partial is left to an explicit
// redistribute.
std::optional<double> implicitCost(const CostModel& model, const Spec& current, const Plan& plan);

// Bytes that one rank receives over the plan.
std::int64_t receivedBytes(const Spec& current, const Plan& plan);

}  // namespace shardlens
