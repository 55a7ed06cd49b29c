#include "core/comm/simulated.h"

#include <ATen/ATen.h>

#include <numeric>

namespace shardlens {
namespace {

std::size_t at(int rank) { return static_cast<std::size_t>(rank); }

}  // namespace

SimulatedCommunicator::SimulatedCommunicator(int ranks) : hosted_(at(ranks)) {
  std::iota(hosted_.begin(), hosted_.end(), 0);
}

void SimulatedCommunicator::allReduce(const GroupSet& groups, const Buffers& buffers, ReduceOp op) {
  for (const auto& group : groups.groups) {
    Buffers terms;
    for (const int rank : group) terms.push_back(buffers[at(rank)]);
    reduceInto(terms.front(), terms, op);
    for (std::size_t i = 1; i < terms.size(); ++i) terms[i].copy_(terms.front());
  }
}

void SimulatedCommunicator::allGather(const GroupSet& groups, const Buffers& inputs,
                                      const BufferLists& into) {
  for (const auto& group : groups.groups) {
    for (const int receiver : group) {
      for (std::size_t j = 0; j < group.size(); ++j) {
        into[at(receiver)][j].copy_(inputs[at(group[j])]);
      }
    }
  }
}

void SimulatedCommunicator::reduceScatter(const GroupSet& groups, const BufferLists& inputs,
                                          const Buffers& into, ReduceOp op) {
  for (const auto& group : groups.groups) {
    for (std::size_t j = 0; j < group.size(); ++j) {
      Buffers terms;
      for (const int sender : group) terms.push_back(inputs[at(sender)][j]);
      reduceInto(into[at(group[j])], terms, op);
    }
  }
}

void SimulatedCommunicator::allToAll(const GroupSet& groups, const BufferLists& inputs,
                                     const BufferLists& into) {
  for (const auto& group : groups.groups) {
    for (std::size_t receiver = 0; receiver < group.size(); ++receiver) {
      for (std::size_t sender = 0; sender < group.size(); ++sender) {
        into[at(group[receiver])][sender].copy_(inputs[at(group[sender])][receiver]);
      }
    }
  }
}

}  // namespace shardlens
