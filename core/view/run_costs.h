#pragma once

#include "core/trace/journal/journal.h"
#include "core/view/table.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace shardlens::view {

// What is sent in a step of a program, or in all of it.
struct StepCost {
  std::string name;                        // "z = redistribute(y, R)"
  std::map<std::string, int> collectives;  // by kind
  std::int64_t bytes = 0;                  // that are put in
  std::int64_t nanoseconds = 0;            // that it takes, or is estimated to
  int implicit = 0;                        // redistributions nobody asked for that send something

  bool operator==(const StepCost&) const = default;
  void add(const StepCost& other);
};

struct RunCosts {
  std::vector<StepCost> steps;  // by their number in the scenario, up to the one that was refused
  std::string refusal;          // empty: nothing was refused
  int refusedStep = -1;

  StepCost all() const;
};

RunCosts costsOf(const Journal& journal);

// "2 all_gather, 1 all_reduce", "nothing"
std::string sentText(const StepCost& cost);

// What a program costs beside what it cost before it was changed: the steps that send something in
// either, and all of them.
struct CostsTable {
  enum Column { Step, Before, After, BytesBefore, BytesAfter, Difference };
};
Table costsTable(const RunCosts& before, const RunCosts& after);

// In what they differ, in a sentence: "sends 72 B less, 1 implicit redistribution fewer".
std::string costsDifference(const StepCost& before, const StepCost& after);

}  // namespace shardlens::view
