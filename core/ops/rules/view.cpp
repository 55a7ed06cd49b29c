#include "core/ops/rules/rules.h"

namespace shardlens {
namespace {

// Dimensions are added on the left and those of size one stretched; the others keep their cut.
std::vector<Row> expand(const OpSchema& call) {
  const auto& input = call.input(0);
  const auto& output = call.outputs.front();
  const int added = output.ndim() - input.ndim();
  std::vector<Row> rows;
  for (int dim = 0; dim < input.ndim(); ++dim) {
    const auto at = static_cast<std::size_t>(dim);
    if (input.shape[at] != output.shape[at + static_cast<std::size_t>(added)]) continue;
    const auto inputs = shardsOf(call, dim);
    const auto outputs = shardsOf(call, dim + added);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      rows.push_back({"sharded", {outputs[i]}, {inputs[i]}});
    }
  }
  for (const auto op : {ReduceOp::Sum, ReduceOp::Avg, ReduceOp::Min, ReduceOp::Max}) {
    rows.push_back({"partial", {Partial{op}}, {Partial{op}}});
  }
  return rows;
}

}  // namespace

std::vector<NamedRule> viewRules() {
  return {
      {"aten.expand", {.rows = expand, .emptyShards = Rule::EmptyShards::Kept, .sizeArg = "size"}}};
}

}  // namespace shardlens
