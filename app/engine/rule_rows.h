#pragma once

#include "core/tensor/dispatch/op_entry.h"

#include <string>
#include <vector>

namespace shardlens::cli {

// The placements that a rule allows on one mesh dimension, as text. A rule depends on the call, so
// the rows are those of an example call.
struct RuleRows {
  struct Row {
    std::string name;                  // "row-wise"
    std::vector<std::string> inputs;   // "S(0)"
    std::vector<std::string> outputs;  // as the inputs
  };
  std::vector<std::string> on;  // the tensors of the call: "f32[4, 4]"; empty if no call fits
  std::vector<Row> rows;
};
// Tries example calls on the meta device. Returns the rows of the first call with more than one
// row, else of the first with any. Both lists are empty if no call fits the operator.
RuleRows ruleRows(const OpEntry& entry);

}  // namespace shardlens::cli
