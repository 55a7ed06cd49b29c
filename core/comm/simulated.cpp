#include "core/comm/simulated.h"

#include "core/memory/copy.h"
#include "core/memory/reduce.h"

#include <algorithm>
#include <numeric>

namespace shardlens {
namespace {

// Appends the buffer unless it is the last one: ranks that share a buffer are adjacent in a group.
void addOnce(std::vector<at::Tensor>& buffers, const at::Tensor& buffer) {
  if (buffers.empty() || !buffers.back().is_same(buffer)) buffers.push_back(buffer);
}

}  // namespace

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
  std::vector<Terms> reductions;
  for (const auto& group : groups.groups) {
    auto& [addends, outputs] = reductions.emplace_back();
    for (const int rank : group) {
      addends.push_back(inputs[at(rank)]);
      addOnce(outputs, into[at(rank)]);
    }
  }
  reduceAll(reductions, reduction);
}

void SimulatedCommunicator::allGather(const GroupSet& groups, const Buffers& inputs,
                                      const BufferLists& into) {
  std::vector<Copy> copies;
  for (const auto& group : groups.groups) {
    for (std::size_t j = 0; j < group.size(); ++j) {
      auto& copy = copies.emplace_back(Copy{{}, inputs[at(group[j])]});
      for (const int receiver : group) addOnce(copy.to, into[at(receiver)][j]);
    }
  }
  copyAll(copies);
}

void SimulatedCommunicator::reduceScatter(const GroupSet& groups, const BufferLists& inputs,
                                          const Buffers& into, Reduction reduction) {
  std::vector<Terms> reductions;
  for (const auto& group : groups.groups) {
    for (std::size_t j = 0; j < group.size(); ++j) {
      auto& [addends, outputs] = reductions.emplace_back();
      for (const int sender : group) addends.push_back(inputs[at(sender)][j]);
      outputs.push_back(into[at(group[j])]);
    }
  }
  reduceAll(reductions, reduction);
}

void SimulatedCommunicator::allToAll(const GroupSet& groups, const BufferLists& inputs,
                                     const BufferLists& into) {
  std::vector<Copy> copies;
  for (const auto& group : groups.groups) {
    for (std::size_t receiver = 0; receiver < group.size(); ++receiver) {
      for (std::size_t sender = 0; sender < group.size(); ++sender) {
        copies.push_back(
            {{into[at(group[receiver])][sender]}, inputs[at(group[sender])][receiver]});
      }
    }
  }
  copyAll(copies);
}

void SimulatedCommunicator::broadcast(const GroupSet& groups, int root, const Buffers& inputs,
                                      const Buffers& into) {
  std::vector<Copy> copies;
  for (const auto& group : groups.groups) {
    auto& copy = copies.emplace_back(Copy{{}, inputs[at(group[static_cast<std::size_t>(root)])]});
    for (const int receiver : group) copy.to.push_back(into[at(receiver)]);
  }
  copyAll(copies);
}

void SimulatedCommunicator::scatter(const GroupSet& groups, int root, const BufferLists& inputs,
                                    const Buffers& into) {
  std::vector<Copy> copies;
  for (const auto& group : groups.groups) {
    const auto& pieces = inputs[at(group[static_cast<std::size_t>(root)])];
    for (std::size_t j = 0; j < group.size(); ++j) {
      copies.push_back({{into[at(group[j])]}, pieces[j]});
    }
  }
  copyAll(copies);
}

}  // namespace shardlens
