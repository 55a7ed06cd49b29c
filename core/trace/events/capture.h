#pragma once

#include "core/base/result.h"
#include "core/model/rank_ranges.h"
#include "core/trace/events/value.h"

#include <string>
#include <string_view>
#include <vector>

namespace shardlens {

// A capture level for the values of some steps, ranks and tensors. An empty condition matches all
// of them.
struct CaptureRule {
  CaptureLevel level = CaptureLevel::All;
  std::vector<RankRange> steps = {};  // indexes
  std::vector<RankRange> ranks = {};
  std::string tensor = {};  // the tensor's name

  // Returns true if all conditions match.
  bool holds(int step, int rank, std::string_view name) const;
  bool operator==(const CaptureRule&) const = default;
};

// Parses "all", "hashes", "stats" or "none", optionally with conditions:
// "stats:step=3-5:rank=0,2:tensor=y". Steps are written as numbers, from 1.
Result<CaptureRule> parseCaptureRule(std::string_view text);

// An ordered list of capture rules. The last rule that matches decides; without a match nothing is
// captured.
class Capture {
 public:
  Capture(CaptureLevel level = CaptureLevel::None);  // NOLINT: one level for all values
  explicit Capture(std::vector<CaptureRule> rules) : rules_(std::move(rules)) {}

  // Returns true if some rule captures statistics, hashes or elements.
  bool keepsAny() const;
  CaptureLevel levelOf(int step, int rank, std::string_view name) const;

 private:
  std::vector<CaptureRule> rules_;
};

// Parses one rule per text; returns the error of the first bad one. An empty list captures nothing.
Result<Capture> parseCapture(const std::vector<std::string>& texts);

}  // namespace shardlens
