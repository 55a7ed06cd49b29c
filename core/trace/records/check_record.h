#pragma once

#include "core/model/placement.h"

#include <string>
#include <string_view>

namespace shardlens {

// The detail of a Check event: the largest difference between a result and the same program on
// plain tensors, or why the two were not compared. All members are empty if no element differs.
// Figures are texts: "0.0312", "nan", "true".
struct CheckRecord {
  // "got shape [3, 2], expected [2, 3]"; the other members are then empty
  std::string why = {};
  std::string largest = {};  // the largest difference
  std::string relative = {};
  Shape at = {};  // its index in the global tensor
  int rank = 0;   // the lowest rank that has this element
  std::string got = {};
  std::string expected = {};
  bool operator==(const CheckRecord&) const = default;
};

// Convert a record to and from the JSON of the detail, "{}" for an empty record. Missing or
// malformed members read as empty, and so does any other text.
std::string checkDetail(const CheckRecord& check);
CheckRecord readCheck(std::string_view detail);

}  // namespace shardlens
