#pragma once

#include "core/view/decisions.h"
#include "core/view/table.h"

#include <string>

namespace shardlens::view {

// The strategies that an operator could have taken, with what each would cost, and the one that
// won: the current event's operator, or the last one before it that decided. Of an operator that
// found its strategy in the cache, those from which the cache's entry was chosen.
struct CandidatesTable {
  enum Column { Name, Inputs, Output, Receives, Cost };

  Table table;
  Decision decision;
  std::string operatorName;
  std::string verdict;  // "row-wise won"; of several of that name "row-wise won: R, S(0) → S(0)"
  int leftOut = 0;      // how many the recording leaves out
};

// `decided`: the newest decision, where a snapshot knows it.
CandidatesTable candidatesTable(const Journal& journal, EventId position, EventId decided);
inline CandidatesTable candidatesTable(const Journal& journal, EventId position) {
  return candidatesTable(journal, position, position);
}

}  // namespace shardlens::view
