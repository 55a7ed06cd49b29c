#pragma once

#include "core/model/rank_ranges.h"

#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

namespace shardlens {

// The numbers of program steps, wherever people or programs read or write them: texts, queries,
// SQL, exports, options, Python. They count from 1, as lines do; 0 is none.
// A recording stores the index instead (Event::step), which counts from 0; -1 is none.
constexpr std::int64_t stepNumber(int index) { return std::int64_t{index} + 1; }

// The greatest index. A range up to it has all later steps.
constexpr int kLastStep = std::numeric_limits<int>::max() - 2;

// Returns the index of the step with this number; -1 for 0 and below.
constexpr int stepIndex(int number) { return number < 1 ? -1 : number - 1; }

// Parses numbers of steps, "3-5,8", to ranges of indexes as parseRankRanges() does. Returns none if
// a number is 0.
std::vector<RankRange> stepIndexes(std::string_view text);

}  // namespace shardlens
