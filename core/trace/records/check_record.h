#pragma once

#include "core/model/placement.h"

#include <string>
#include <string_view>

namespace shardlens {

// What the detail of a Check event says: where the elements of a result are farthest from those of
// the plain one, or why they were not laid side by side. Empty where none differs. Figures are
// written as answers write them: "0.0312", "nan", "true".
struct CheckRecord {
  std::string why = {};      // "got shape [3, 2], expected [2, 3]"; the rest is empty then
  std::string largest = {};  // the largest difference
  std::string relative = {};
  Shape at = {};  // in the whole tensor
  int rank = 0;   // the lowest one that holds it
  std::string got = {};
  std::string expected = {};
  bool operator==(const CheckRecord&) const = default;
};

std::string checkDetail(const CheckRecord& check);
CheckRecord readCheck(std::string_view detail);

}  // namespace shardlens
