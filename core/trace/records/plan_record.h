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
  int meshDim = -1;  // -1 if there are several
  std::string from;  // the placements on these mesh dimensions: "S(0)", "S(0), S(0)"
  std::string to;
  std::string move;   // a collective, "all_gather", or a local operation, "slice"
  std::string after;  // placements on all mesh dimensions after it: "(R, SS(0, 2))"
  double bytes = 0;   // received per rank, as estimated
  double microseconds = 0;
  bool operator==(const PlanStepRecord&) const = default;
};

// A plan that the planner considered, with its estimated cost.
struct AlternativeRecord {
  std::string name;   // "min-cost"
  std::string steps;  // "(S(0), R) -> (R, R) -> (R, S(1))"
  int collectives = 0;
  double bytes = 0;
  double microseconds = 0;
  double peak = 0;  // the most bytes that a rank holds at once
  bool chosen = false;
  bool operator==(const AlternativeRecord&) const = default;
};

// The detail of a Plan event. Recordings of format 1.0 have only axis, from and to of each step;
// those before 1.4 have no caveat.
struct PlanRecord {
  std::vector<PlanStepRecord> steps = {};
  std::string planner = {};
  std::optional<int> explored = {};  // states that the planner tried
  std::string caveat = {};           // why a cheaper plan may exist; empty if none can
  std::vector<AlternativeRecord> alternatives = {};  // with the chosen plan
  bool operator==(const PlanRecord&) const = default;
};

// Convert a record to and from the JSON of the detail. Planner, caveat and alternatives are stored
// with the first step, so a plan without steps loses them. Malformed members read as empty.
std::string planDetail(const PlanRecord& plan);
PlanRecord readPlan(std::string_view detail);

}  // namespace shardlens
