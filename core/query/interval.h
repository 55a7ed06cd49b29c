#pragma once

#include "core/query/query.h"
#include "core/query/query_fields.h"

#include <limits>
#include <vector>

namespace shardlens {

// The bounds of what a term asks for.
struct Interval {
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  bool isOpen = false;  // without its ends

  bool has(double number) const { return meets(number, number); }
  // Some number from one to the other.
  bool meets(double first, double last) const {
    return isOpen ? last > least && first < most : last >= least && first <= most;
  }
};

// Any of which a number of the term may be in.
std::vector<Interval> intervals(const Term& term, const FieldInfo& field);

}  // namespace shardlens
