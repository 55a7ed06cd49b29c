#pragma once

#include "core/base/result.h"
#include "core/model/rank_ranges.h"
#include "core/trace/journal/value.h"

#include <string>
#include <string_view>
#include <vector>

namespace shardlens {

// How much is kept of the values of some steps, ranks and tensors; where it does not say which, of
// all of them.
struct CaptureRule {
  CaptureLevel level = CaptureLevel::All;
  std::vector<RankRange> steps = {};  // of the scenario, from 0
  std::vector<RankRange> ranks = {};
  std::string tensor = {};  // its name

  bool holds(int step, int rank, std::string_view name) const;
  bool operator==(const CaptureRule&) const = default;
};

// "all", or with conditions: "stats:step=3-5:rank=0,2:tensor=y".
Result<CaptureRule> parseCaptureRule(std::string_view text);

// Of several rules the last that holds counts; where none does, nothing is kept.
class Capture {
 public:
  Capture(CaptureLevel level = CaptureLevel::None);  // NOLINT: of all values
  explicit Capture(std::vector<CaptureRule> rules) : rules_(std::move(rules)) {}

  bool keepsAny() const;
  CaptureLevel levelOf(int step, int rank, std::string_view name) const;

 private:
  std::vector<CaptureRule> rules_;
};

Result<Capture> parseCapture(const std::vector<std::string>& texts);  // a rule each

}  // namespace shardlens
