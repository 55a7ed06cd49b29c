#pragma once

#include "core/tensor/dispatch/op_entry.h"

#include <string>
#include <vector>

namespace shardlens::cli {

// What a rule allows over one mesh dimension, in the notation of placements: of a call that fits
// the operator, since a rule says it of a call.
struct RuleRows {
  struct Row {
    std::string name;                  // "row-wise"
    std::vector<std::string> inputs;   // "S(0)"
    std::vector<std::string> outputs;  // likewise
  };
  std::vector<std::string> on;  // the tensors of the call: "f32[4, 4]"; none where none was found
  std::vector<Row> rows;
};
RuleRows ruleRows(const OpEntry& entry);

}  // namespace shardlens::cli
