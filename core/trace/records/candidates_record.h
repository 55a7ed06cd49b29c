#pragma once

#include "core/trace/records/recorded_placements.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardlens {

// A strategy that the propagator considered for an operator.
struct CandidateRecord {
  std::string name;                        // "row-wise"
  std::vector<RecordedPlacements> inputs;  // one per input
  std::vector<RecordedPlacements> outputs;
  // Microseconds to redistribute the inputs, and bytes that each rank receives during that. nullopt
  // if not recorded, as in the logs of other tools.
  std::optional<double> cost = {};
  std::optional<std::int64_t> bytes = {};
  bool chosen = false;
  bool operator==(const CandidateRecord&) const = default;
};

// The name of the only strategy of an operator without a rule, which runs on whole tensors.
inline constexpr std::string_view kNoRule = "no rule";

// The detail of a Candidates event: the strategies in ascending cost. The engine records at most
// kMost.
struct CandidatesRecord {
  static constexpr std::size_t kMost = 32;
  std::vector<CandidateRecord> candidates = {};
  bool operator==(const CandidatesRecord&) const = default;
};

// Convert a record to and from the JSON of the detail. Reading skips malformed entries; any other
// text gives an empty record.
std::string candidatesDetail(const CandidatesRecord& record);
CandidatesRecord readCandidates(std::string_view detail);

}  // namespace shardlens
