#pragma once

#include "core/trace/records/plan_record.h"
#include "core/view/decisions.h"
#include "core/view/table.h"

#include <string>

namespace shardlens::view {

// The steps of the plan that the current event's redistribution follows, or the last one before it;
// one may change several mesh dimensions at once. What a rank holds at once is what a step reads
// and what it makes. The plan may have been made far back, where the
// plan cache remembered it.
struct PlanTable {
  enum Column { Move, Axis, Then, Receives, Held, Time, Took };

  Table table;
  Decision decision;
  PlanRecord plan;
  std::string title;    // "x: R → S(0)"
  std::string summary;  // "about 8.1 us, took 40.2 us"
};

// `decided`: the newest decision, where a snapshot knows it.
PlanTable planTable(const Journal& journal, EventId position, EventId decided);
inline PlanTable planTable(const Journal& journal, EventId position) {
  return planTable(journal, position, position);
}

}  // namespace shardlens::view
