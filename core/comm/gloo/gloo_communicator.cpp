#include "core/comm/gloo/gloo_communicator.h"

#include "core/base/check.h"
#include "core/comm/gloo/message_batch.h"

#include <ATen/ATen.h>
#include <fmt/core.h>

#include <algorithm>
#include <numeric>

namespace shardlens {

Result<std::unique_ptr<GlooCommunicator>> GlooCommunicator::make(
    std::shared_ptr<Processes> processes, int ranks) {
  const int count = processes->processes();
  if (ranks < count || ranks % count != 0) {
    return fail(
        fmt::format("{0} ranks on {1} processes: a multiple of {1} is expected", ranks, count));
  }
  processes->setRanksPerProcess(ranks / count);
  std::vector<int> all(static_cast<std::size_t>(ranks));
  std::iota(all.begin(), all.end(), 0);
  return std::unique_ptr<GlooCommunicator>(
      new GlooCommunicator(std::move(processes), ranks / count, all));
}

GlooCommunicator::GlooCommunicator(std::shared_ptr<Processes> processes, int ranksPerProcess,
                                   const std::vector<int>& ranks)
    : processes_(std::move(processes)), ranksPerProcess_(ranksPerProcess) {
  std::copy_if(ranks.begin(), ranks.end(), std::back_inserter(hosted_),
               [&](int rank) { return hosts(rank); });
  std::sort(hosted_.begin(), hosted_.end());
}

std::unique_ptr<Communicator> GlooCommunicator::over(const std::vector<int>& ranks) const {
  return std::unique_ptr<Communicator>(new GlooCommunicator(processes_, ranksPerProcess_, ranks));
}

std::size_t GlooCommunicator::at(int rank) const {
  const auto found = std::lower_bound(hosted_.begin(), hosted_.end(), rank);
  SL_CHECK(found != hosted_.end() && *found == rank, "a group's ranks are the communicator's");
  return static_cast<std::size_t>(found - hosted_.begin());
}

void GlooCommunicator::move(const char* collective, const GroupSet& groups, std::optional<int> root,
                            const Choice& from, const Choice& into) const {
  const auto sends = [&](std::size_t member) {
    return !root || static_cast<std::size_t>(*root) == member;
  };
  MessageBatch mail;
  for (const auto& group : groups.groups) {
    for (std::size_t me = 0; me < group.size(); ++me) {
      if (!hosts(group[me])) continue;
      const std::size_t i = at(group[me]);
      for (std::size_t other = 0; other < group.size(); ++other) {
        const int rank = group[other];
        const int process = rank / ranksPerProcess_;
        if (hosts(rank)) {
          if (sends(me)) mail.keep(from(i, other), into(at(rank), me));
          continue;
        }
        if (sends(me)) mail.send(group[me], rank, process, from(i, other));
        if (sends(other)) mail.receive(rank, group[me], process, into(i, other));
      }
    }
  }
  mail.exchange(*processes_, Purpose::among(collective, groups));
}

void GlooCommunicator::gather(const char* collective, const GroupSet& groups, const Buffers& inputs,
                              const BufferLists& into) const {
  move(collective, groups, std::nullopt, Packed(inputs),
       [&](std::size_t i, std::size_t sender) { return into[i][sender]; });
}

void GlooCommunicator::allGather(const GroupSet& groups, const Buffers& inputs,
                                 const BufferLists& into) {
  gather("all_gather", groups, inputs, into);
}

void GlooCommunicator::allToAll(const GroupSet& groups, const BufferLists& inputs,
                                const BufferLists& into) {
  move(
      "all_to_all", groups, std::nullopt,
      [&](std::size_t i, std::size_t receiver) { return inputs[i][receiver]; },
      [&](std::size_t i, std::size_t sender) { return into[i][sender]; });
}

void GlooCommunicator::broadcast(const GroupSet& groups, int root, const Buffers& inputs,
                                 const Buffers& into) {
  move("broadcast", groups, root, Packed(inputs),
       [&](std::size_t i, std::size_t) { return into[i]; });
}

void GlooCommunicator::scatter(const GroupSet& groups, int root, const BufferLists& inputs,
                               const Buffers& into) {
  move(
      "scatter", groups, root,
      [&](std::size_t i, std::size_t receiver) { return inputs[i][receiver]; },
      [&](std::size_t i, std::size_t) { return into[i]; });
}

}  // namespace shardlens
