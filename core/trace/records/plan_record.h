#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardlens {

// One step of a recorded plan.
struct PlanStepRecord {
  std::string axis;  // "tp"; "dp_tp": several mesh dimensions at once
  int meshDim = -1;  // -1 where there are several
  std::string from;  // what lies along them, "S(0)", "S(0), S(0)"
  std::string to;
  std::string move;   // "all_gather"; "cut"
  std::string after;  // the whole mesh's placements then, "(R, SS(0, 2))"
  double bytes = 0;   // that a rank receives
  double microseconds = 0;
  bool operator==(const PlanStepRecord&) const = default;
};

// What a plan could have been, and what that is thought to take.
struct AlternativeRecord {
  std::string name;   // "min-cost"
  std::string steps;  // "(S(0), R) -> (R, R) -> (R, S(1))"
  int collectives = 0;
  double bytes = 0;
  double microseconds = 0;
  double peak = 0;  // bytes that a rank holds at once
  bool chosen = false;
  bool operator==(const AlternativeRecord&) const = default;
};

// What the detail of a Plan event says. Recordings of format 1.0 have of each step what changes
// along which axis, and no more; those before 1.4 never have a caveat.
struct PlanRecord {
  std::vector<PlanStepRecord> steps = {};
  std::string planner = {};
  std::optional<int> explored = {};  // states
  std::string caveat = {};           // why a cheaper plan may exist; empty where none does
  std::vector<AlternativeRecord> alternatives = {};  // the chosen one too; in the text "ways"
  bool operator==(const PlanRecord&) const = default;
};

std::string planDetail(const PlanRecord& plan);
PlanRecord readPlan(std::string_view detail);

}  // namespace shardlens
