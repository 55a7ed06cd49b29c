#pragma once

#include "core/model/spec.h"
#include "core/plan/transform_info.h"

#include <optional>

namespace shardlens {

// An estimate of what collectives cost: ring algorithms over links with one bandwidth and latency
// inside a host and another between hosts. The defaults are DTensor's. A mesh dimension crosses
// hosts if it and those to its right have more ranks than a host.
struct CostModel {
  int ranksPerHost = 1;
  double bandwidth = 87.7;  // GiB/s inside a host
  double latency = 0.6;     // microseconds per hop inside a host
  double betweenHostsBandwidth = 87.7 * 0.22;
  double betweenHostsLatency = 2.7;
  double startup = 6.6;  // microseconds per collective

  bool operator==(const CostModel&) const = default;
};

// The cost of a step or plan for one rank. Bytes are the mean over the ranks.
struct Price {
  double microseconds = 0;
  double received = 0;  // bytes
  double peak = 0;      // bytes in memory at once: a step's input and output
};

// The cost of a collective: `microseconds` plus a share per byte. The bytes are those that a rank
// has before or after the collective, whichever is more.
struct CollectiveRate {
  double microseconds = 0;
  double microsecondsPerByte = 0;
  double receivedPerByte = 0;
};
// Returns the rate among the ranks that differ along these mesh dimensions, over the slowest link.
// Moves other than AllReduce cost as an all-gather. A group of one rank pays only the startup.
CollectiveRate rateOf(const CostModel& model, const DeviceMesh& mesh,
                      const std::vector<int>& meshDims, Move move);
// Returns the rate among this many ranks on one host or several.
CollectiveRate rateOf(const CostModel& model, int ranks, bool betweenHosts, Move move);

// Returns the rate of an exchange with the previous and next rank, both at once, per byte that a
// rank receives.
CollectiveRate linkRate(const CostModel& model, const DeviceMesh& mesh,
                        const std::vector<int>& meshDims);
CollectiveRate linkRate(const CostModel& model, bool betweenHosts);

// Returns the number of ranks that differ along these mesh dimensions.
int groupSize(const DeviceMesh& mesh, const std::vector<int>& meshDims);

// Return the price of a step or plan. Steps without a collective, and collectives among groups of
// one rank, take no time and receive nothing. Owned rows are priced as if each rank owned equally
// many. A plan's peak is the largest of its steps.
Price priceOf(const CostModel& model, const DeviceMesh& mesh, const TensorMeta& meta,
              const TransformInfo& step);
Price priceOf(const CostModel& model, const Spec& current, const Plan& plan);

// Returns the number of collectives among groups of more than one rank.
int collectiveCount(const DeviceMesh& mesh, const Plan& plan);

// Returns the microseconds that DTensor estimates for the plan's collectives when an operator
// chooses among strategies. Bytes cost nothing if no shard order produces the source's placements,
// because DTensor has no price for these. Returns nullopt if a step turns a shard into a partial:
// operators must not choose that, only an explicit redistribute may.
std::optional<double> implicitCost(const CostModel& model, const Spec& current, const Plan& plan);

// Returns the bytes that one rank receives over the plan, at most 9e18.
std::int64_t receivedBytes(const Spec& current, const Plan& plan);

}  // namespace shardlens
