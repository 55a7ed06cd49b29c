#pragma once

#include "core/trace/journal/journal.h"
#include "core/view/words/placement_words.h"

#include <string>
#include <vector>

namespace shardlens::view {

// A tensor that is placed otherwise than those of the same shape in other layers.
struct OddPlacement {
  TensorId tensor = 0;
  std::vector<std::string> others = {};  // names of the others, in natural order; not empty
  TensorId other = 0;                    // one of them
  bool operator==(const OddPlacement&) const = default;
};

// Returns "layers.3.down is S(0), layers.0-2,4,5.down are S(1)".
std::string oddPlacementText(const Journal& journal, const OddPlacement& odd, Notation notation);
// Joins names that differ in one number only, "down0-2,5"; else lists up to three names.
std::string joinedNames(const std::vector<std::string>& names);

}  // namespace shardlens::view
