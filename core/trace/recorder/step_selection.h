#pragma once

#include "core/base/result.h"
#include "core/model/rank_ranges.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace shardlens {

// The steps of a job that are recorded, by their numbers: "100..110,every=50".
class StepSelection {
 public:
  // Parses parts that are separated by commas: a step "7", steps "100..110" (both included), or
  // "every=50", which is the steps 50, 100, 150, .... Returns an error for other text.
  static Result<StepSelection> parse(std::string_view text);

  // Returns true if a part of the text selects the step. Numbers count from 1.
  bool has(std::int64_t number) const;

 private:
  std::vector<RankRange> ranges_;  // of numbers; ascending and disjoint
  std::vector<int> intervals_;
};

}  // namespace shardlens
