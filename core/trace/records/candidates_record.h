#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardlens {

// A strategy that an operator could take.
struct CandidateRecord {
  std::string name;                 // "row-wise"
  std::vector<std::string> inputs;  // the placements of each: "S(0)", "(S(0), R)"
  std::vector<std::string> outputs;
  double cost = 0;                         // microseconds to bring the inputs there
  std::optional<std::int64_t> bytes = {};  // that a rank receives meanwhile
  bool chosen = false;
  bool operator==(const CandidateRecord&) const = default;
};

// The name of the only strategy of an operator that has no rule, and is run whole.
inline constexpr std::string_view kNoRule = "no rule";

// What the detail of a Candidates event says: cheapest first, of many the first ones.
struct CandidatesRecord {
  static constexpr std::size_t kMost = 32;
  std::vector<CandidateRecord> candidates = {};
  bool operator==(const CandidatesRecord&) const = default;
};

std::string candidatesDetail(const CandidatesRecord& record);
CandidatesRecord readCandidates(std::string_view detail);

}  // namespace shardlens
