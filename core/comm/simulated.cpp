#include "core/comm/simulated.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <numeric>

namespace shardlens {

SimulatedCommunicator::SimulatedCommunicator(int ranks) : hosted_(static_cast<std::size_t>(ranks)) {
  std::iota(hosted_.begin(), hosted_.end(), 0);
}

SimulatedCommunicator::SimulatedCommunicator(std::vector<int> ranks) : hosted_(std::move(ranks)) {
  std::sort(hosted_.begin(), hosted_.end());
}

std::unique_ptr<Communicator> SimulatedCommunicator::over(const std::vector<int>& ranks) const {
  return std::make_unique<SimulatedCommunicator>(ranks);
}

std::size_t SimulatedCommunicator::at(int rank) const {
  return static_cast<std::size_t>(std::lower_bound(hosted_.begin(), hosted_.end(), rank) -
                                  hosted_.begin());
}

void SimulatedCommunicator::allReduce(const GroupSet& groups, const Buffers& inputs,
                                      const Buffers& into, Reduction reduction) {
  for (const auto& group : groups.groups) {
    Buffers terms;
    for (const int rank : group) terms.push_back(inputs[at(rank)]);
    reduceInto(into[at(group.front())], terms, reduction);
    for (std::size_t i = 1; i < group.size(); ++i) {
      into[at(group[i])].copy_(into[at(group.front())]);
    }
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
                                          const Buffers& into, Reduction reduction) {
  for (const auto& group : groups.groups) {
    for (std::size_t j = 0; j < group.size(); ++j) {
      Buffers terms;
      for (const int sender : group) terms.push_back(inputs[at(sender)][j]);
      reduceInto(into[at(group[j])], terms, reduction);
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

void SimulatedCommunicator::broadcast(const GroupSet& groups, int root, const Buffers& inputs,
                                      const Buffers& into) {
  for (const auto& group : groups.groups) {
    const auto& said = inputs[at(group[static_cast<std::size_t>(root)])];
    for (const int receiver : group) into[at(receiver)].copy_(said);
  }
}

void SimulatedCommunicator::scatter(const GroupSet& groups, int root, const BufferLists& inputs,
                                    const Buffers& into) {
  for (const auto& group : groups.groups) {
    const auto& pieces = inputs[at(group[static_cast<std::size_t>(root)])];
    for (std::size_t j = 0; j < group.size(); ++j) into[at(group[j])].copy_(pieces[j]);
  }
}

}  // namespace shardlens
