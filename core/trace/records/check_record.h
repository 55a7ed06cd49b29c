#pragma once

#include "core/model/placement.h"

#include <string>
#include <string_view>

namespace shardlens {

// The detail of a Check event: the largest difference between a result and the same program on
// plain tensors, in units of its bound, or why the two were not compared. All members are empty if
// no element differs. Figures are texts: "0.0312", "nan", "true".
struct CheckRecord {
  // "got shape [3, 2], expected [2, 3]"; the other members are then empty
  std::string why = {};
  std::string largest = {};  // the difference
  std::string relative = {};
  // how far rounding may move this element: "2.3e-06", "0" if it must be equal; empty in recordings
  // of earlier versions
  std::string bound = {};
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
