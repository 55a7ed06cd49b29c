#pragma once

#include "core/query/language/query.h"
#include "core/query/language/query_fields.h"

#include <limits>
#include <vector>

namespace shardlens {

// A range of numbers that a term accepts.
struct Interval {
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  bool isOpen = false;  // excludes both ends

  bool has(double number) const { return meets(number, number); }
  // Returns true if the interval intersects [first, last].
  bool meets(double first, double last) const {
    return isOpen ? last > least && first < most : last >= least && first <= most;
  }
};

// Returns the intervals of a term, one per value. A number matches if any of them contains it.
// Requires a term that passed checkTerm().
std::vector<Interval> intervals(const Term& term, const FieldInfo& field);

}  // namespace shardlens
