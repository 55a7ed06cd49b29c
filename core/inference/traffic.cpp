#include "core/inference/traffic.h"

#include <algorithm>
#include <set>
#include <utility>

namespace shardlens {
namespace {

// Returns true if all ranks of a group of the axis send messages to others of it, or receive them.
bool exchangesMessages(const std::set<std::pair<int, int>>& messages, const RankAxis& axis) {
  return std::any_of(axis.groups.begin(), axis.groups.end(), [&](const std::vector<int>& group) {
    const std::set<int> members(group.begin(), group.end());
    std::set<int> partners;
    for (const auto& [sender, receiver] : messages) {
      if (members.contains(sender) && members.contains(receiver)) {
        partners.insert({sender, receiver});
      }
    }
    return partners == members;
  });
}

// Returns true if an all_to_all of one tensor exchanges rows along the axis.
bool movesRows(const PlainGraph& graph, const RankAxis& axis) {
  return std::any_of(graph.operations.begin(), graph.operations.end(), [&](const auto& op) {
    return op.call->collective == "all_to_all" && !op.call->isList && !op.movesShard &&
           covers(op.groups, axis);
  });
}

}  // namespace

AxisTraffic::AxisTraffic(const PlainGraph& graph, const RankAxis& axis)
    : hasMessages_(exchangesMessages(graph.messages, axis)),
      exchangesRows_(movesRows(graph, axis)),
      isWeight_(graph.variables.size()) {
  if (exchangesRows_) findWeights(graph);
}

void AxisTraffic::findWeights(const PlainGraph& graph) {
  for (std::size_t i = 0; i < graph.variables.size(); ++i) {
    isWeight_[i] = graph.variables[i].isParameter;
  }
  for (const auto& op : graph.operations) {
    if (op.inputs.empty() || !op.call->collective.empty()) continue;
    const bool isOfWeights = std::all_of(op.inputs.begin(), op.inputs.end(),
                                         [&](std::size_t input) { return isWeight_[input]; });
    for (const auto output : op.outputs) isWeight_[output] = isOfWeights;
  }
}

}  // namespace shardlens
