#include "core/inference/traffic.h"

#include "core/model/operator_words.h"

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

bool isWithin(const std::set<std::pair<int, int>>& messages, const RankAxis& axis) {
  return std::all_of(messages.begin(), messages.end(), [&](const auto& message) {
    return std::any_of(axis.groups.begin(), axis.groups.end(), [&](const std::vector<int>& group) {
      return std::count(group.begin(), group.end(), message.first) != 0 &&
             std::count(group.begin(), group.end(), message.second) != 0;
    });
  });
}

// Where the ranks' parts of a variable come from.
//
//   Own      each rank has computed its part from its own place
//   Cut      each rank has cut its own place out of what it has
//   Sent     each part is that of another rank, which has sent it
//   Far      the parts were sent repeatedly, and may have come back
//   Mixed    parts of different places were combined
//   Joined   parts of different places follow each other, as a block with its neighbours' rows
//   Unknown  only some ranks have executed an operation
enum class Motion { Own, Cut, Sent, Far, Mixed, Joined, Unknown };

bool hasMoved(Motion motion) { return motion == Motion::Sent || motion == Motion::Far; }

// Returns the motion of a part that another rank has sent.
Motion sentOf(Motion motion) {
  switch (motion) {
    case Motion::Own:
      return Motion::Sent;
    case Motion::Sent:
    case Motion::Far:
    case Motion::Mixed:
      return Motion::Far;
    case Motion::Cut:
    case Motion::Joined:
    case Motion::Unknown:
      break;
  }
  return Motion::Unknown;
}

bool isProduct(const PlainOperation& op) {
  return op.inputs.size() == 2 && isMatrixProduct(wordOf(op.name));
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
      containsMessages_(isWithin(graph.messages, axis)),
      exchangesRows_(movesRows(graph, axis)),
      isWeight_(graph.variables.size()) {
  if (exchangesRows_) findWeights(graph);
  if (hasMessages_) findMotions(graph, axis);
}

void AxisTraffic::findMotions(const PlainGraph& graph, const RankAxis& axis) {
  mixes_.resize(graph.operations.size());
  crosses_.resize(graph.operations.size());
  std::vector<Motion> motions(graph.variables.size(), Motion::Own);
  for (std::size_t i = 0; i < graph.operations.size(); ++i) {
    const auto& op = graph.operations[i];
    std::set<Motion> of;
    for (const auto input : op.inputs) of.insert(motions[input]);
    for (const auto mixed : op.call->mixed) {
      if (mixed < op.inputs.size()) of.insert(Motion::Unknown);
    }
    const bool isUnary = op.inputs.size() < 2;
    const bool isMoved = std::any_of(of.begin(), of.end(), hasMoved);
    crosses_[i] = isProduct(op) && of == std::set{Motion::Own, Motion::Sent};
    // Rows of what was combined may be in an order of each rank.
    const bool isOfMixed = isProduct(op) && of.contains(Motion::Mixed);
    const bool isJoined = of.contains(Motion::Joined);
    mixes_[i] = of.contains(Motion::Unknown) || isJoined || isOfMixed ||
                (isMoved && !isUnary && !crosses_[i]);
    Motion made = of.empty() ? Motion::Own : *of.begin();
    const auto& kind = op.call->collective;
    if (kind == "recv") {
      made = op.sent ? sentOf(motions[*op.sent]) : Motion::Unknown;
    } else if (!op.isOnAllRanks || of.contains(Motion::Unknown)) {
      made = Motion::Unknown;
    } else if (!kind.empty() && covers(op.groups, axis)) {
      made = Motion::Own;
    } else if (isJoined || (isMoved && wordOf(op.name) == "cat")) {
      made = isOfMixed ? Motion::Mixed : Motion::Joined;
    } else if (op.call->differs) {
      made = isMoved || of.contains(Motion::Mixed) ? Motion::Unknown : Motion::Cut;
    } else if (of.size() > 1) {
      made = isMoved || of.contains(Motion::Mixed) ? Motion::Mixed : Motion::Own;
    } else if (isMoved && !isUnary) {
      made = Motion::Mixed;
    }
    for (const auto output : op.outputs) {
      motions[output] = graph.variables[output].isConstant ? Motion::Own : made;
    }
  }
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
