#pragma once

#include "core/session/calls.h"

#include <set>
#include <string>
#include <vector>

namespace shardlens {

// The names of a scenario's results whose elements no step has set, such as those of aten.empty and
// of what is computed from them. Ranks and plain torch have different numbers there.
class UnsetValues {
 public:
  // Returns true if the step's results have unset elements. Call it for each step, in order, before
  // note().
  bool areResultsOf(const ScenarioStep& step) const;
  // Notes the results of a step, and the tensor that an in-place call writes.
  void note(const ScenarioStep& step, const std::vector<NamedResult>& results, bool areUnset);

 private:
  bool hasUnset(const nlohmann::json& argument) const;

  std::set<std::string, std::less<>> names_;  // of results with unset elements
};

}  // namespace shardlens
