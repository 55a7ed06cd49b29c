#pragma once

#include "core/view/tables/decisions.h"
#include "core/view/tables/table.h"
#include "core/view/words/placement_words.h"

#include <string>

namespace shardlens::view {

// A table of the strategies that were considered for an operator, with their costs; the chosen one
// is marked. The operator is that of the current event, or the last one before it that chose a
// strategy. After a cache hit, shows the candidates from which the entry was chosen.
struct CandidatesTable {
  enum Column { Name, Inputs, Output, Receives, Cost };

  Table table;
  Decision decision;
  std::string operatorName;  // "" without an operator
  std::string verdict;       // "row-wise won"; if ambiguous "row-wise won: R, S(0) → S(0)"
  int leftOut = 0;           // candidates that were not recorded
};

// Builds the table. The search for a decision starts at `decided`, which must not be before the
// newest one up to `position`; snapshots know it.
CandidatesTable candidatesTable(const Journal& journal, EventId position, EventId decided,
                                Notation notation = Notation::DTensor);
inline CandidatesTable candidatesTable(const Journal& journal, EventId position) {
  return candidatesTable(journal, position, position);
}

}  // namespace shardlens::view
