#pragma once

#include "core/trace/journal/journal.h"
#include "core/view/tables/table.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace shardlens::view {

// The communication of one step, or of a whole program.
struct StepCost {
  std::string name;                        // "z = redistribute(y, R)"
  std::map<std::string, int> collectives;  // by kind
  std::int64_t bytes = 0;                  // sent by the hosted ranks, in total
  std::int64_t nanoseconds = 0;  // sum of the collectives' durations, measured or estimated
  int implicit = 0;              // implicit redistributions that communicate

  bool operator==(const StepCost&) const = default;
  // Adds the figures; keeps the name.
  void add(const StepCost& other);
};

// The communication of a run, by step.
struct RunCosts {
  std::vector<StepCost> steps;  // by the index of the step, up to the refused one
  std::string refusal;          // the error message, or ""
  int refusedStep = -1;         // index; -1: none

  // Returns the sum of all steps.
  StepCost all() const;
};

// Computes the costs of a recording. Reads the whole journal. Ignores events outside of steps.
RunCosts costsOf(const Journal& journal);

// Returns the collectives as text: "2 all_gather, 1 all_reduce", or "nothing".
std::string sentText(const StepCost& cost);

// A table that compares two runs of a program: one row per step that communicates in either run,
// and a marked total. If any step differs, steps with equal figures are left out. Times are equal
// if they differ by less than 10 ns or 0.1 %. Steps are matched by number, so inserting one shifts
// all later rows.
struct CostsTable {
  enum Column { Step, Before, After, BytesBefore, BytesAfter, Difference };
};
Table costsTable(const RunCosts& before, const RunCosts& after);

// Returns the difference as text: "72 B less, 1.2 us less, 1 implicit fewer". If these figures are
// equal, returns "different collectives" or "unchanged".
std::string costsDifference(const StepCost& before, const StepCost& after);

}  // namespace shardlens::view
