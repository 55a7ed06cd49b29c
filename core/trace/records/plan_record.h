#pragma once

#include "core/model/route.h"
#include "core/trace/records/recorded_placements.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardlens {

// One step of a recorded plan.
struct PlanStepRecord {
  std::string axis;                // "tp"; "dp_tp": several mesh dimensions at once
  std::vector<int> meshDims = {};  // of `axis`, ascending; empty if unknown
  RecordedPlacements from;         // the placements on these mesh dimensions
  RecordedPlacements to;
  std::string move;          // a collective, "all_gather", or a local operation, "slice"
  RecordedPlacements after;  // the placements on all mesh dimensions after it
  double bytes = 0;          // received per rank, as estimated
  double microseconds = 0;
  bool operator==(const PlanStepRecord&) const = default;
};

// A plan that the planner considered, with its estimated cost.
struct AlternativeRecord {
  std::string name;     // "min-cost", "via (R, S(1))"
  Placements via = {};  // the placements that give it its name; else empty
  Route route;          // the placements before and after each step; empty if not recorded
  int collectives = 0;
  double bytes = 0;
  double microseconds = 0;
  double peak = 0;  // the most bytes that a rank holds at once
  bool chosen = false;
  bool operator==(const AlternativeRecord&) const = default;
};

// The detail of a Plan event. Recordings of jobs have only axis, from and to of each step.
struct PlanRecord {
  std::vector<PlanStepRecord> steps = {};
  std::string planner = {};
  std::optional<int> explored = {};  // states that the planner tried
  std::string caveat = {};           // why a cheaper plan may exist; empty if none can
  std::vector<AlternativeRecord> alternatives = {};  // with the chosen plan
  bool operator==(const PlanRecord&) const = default;
};

// Convert a record to and from the JSON of the detail. Planner, explored, caveat and alternatives
// are stored with the first step, so a plan without steps or without a planner loses them.
// Malformed members read as empty; text that is not a list gives an empty record.
std::string planDetail(const PlanRecord& plan);
PlanRecord readPlan(std::string_view detail);

}  // namespace shardlens
