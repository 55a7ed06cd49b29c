#include "core/comm/estimated.h"

#include <algorithm>

namespace shardlens {

DryCommunicator::DryCommunicator(const CostModel& costs, at::Device device)
    : costs_(costs), device_(device), time_(std::make_shared<EstimatedTime>(0)) {}

std::unique_ptr<Communicator> DryCommunicator::over(const std::vector<int>& ranks) const {
  auto some = std::make_unique<DryCommunicator>(*this);
  if (std::find(ranks.begin(), ranks.end(), 0) == ranks.end()) some->hosted_.clear();
  return some;
}

void DryCommunicator::estimate(const GroupSet& groups, Move move, std::int64_t bytes) const {
  estimate(groups, bytes, [&](std::size_t ranks, bool betweenHosts) {
    return rateOf(costs_, static_cast<int>(ranks), betweenHosts, move);
  });
}

template <class Rate>
void DryCommunicator::estimate(const GroupSet& groups, std::int64_t bytes, Rate rateAmong) const {
  const auto group = std::find_if(groups.groups.begin(), groups.groups.end(), [](const auto& each) {
    return std::find(each.begin(), each.end(), 0) != each.end();
  });
  if (hosted_.empty() || group == groups.groups.end() || group->size() == 1) return;
  const bool betweenHosts = std::any_of(
      group->begin(), group->end(), [this](int rank) { return rank / costs_.ranksPerHost != 0; });
  const auto rate = rateAmong(group->size(), betweenHosts);
  *time_ +=
      EstimatedTime(rate.microseconds + static_cast<double>(bytes) * rate.microsecondsPerByte);
}

void DryCommunicator::allReduce(const GroupSet& groups, const Buffers& inputs, const Buffers&,
                                Reduction) {
  estimate(groups, Move::AllReduce, bytesOf(inputs));
}

void DryCommunicator::allGather(const GroupSet& groups, const Buffers&, const BufferLists& into) {
  estimate(groups, Move::AllGather, bytesOf(into));
}

void DryCommunicator::reduceScatter(const GroupSet& groups, const BufferLists& inputs,
                                    const Buffers&, Reduction) {
  estimate(groups, Move::ReduceScatter, bytesOf(inputs));
}

void DryCommunicator::allToAll(const GroupSet& groups, const BufferLists& inputs,
                               const BufferLists&) {
  estimate(groups, Move::AllToAll, bytesOf(inputs));
}

void DryCommunicator::haloExchange(const GroupSet& groups, const BufferLists&,
                                   const BufferLists& into, const std::string&) {
  estimate(groups, bytesOf(into),
           [this](std::size_t, bool betweenHosts) { return linkRate(costs_, betweenHosts); });
}

// Priced as an all_gather of the root's pieces.
void DryCommunicator::broadcast(const GroupSet& groups, int, const Buffers&, const Buffers& into) {
  estimate(groups, Move::AllGather, bytesOf(into));
}

void DryCommunicator::scatter(const GroupSet& groups, int, const BufferLists& inputs,
                              const Buffers&) {
  estimate(groups, Move::AllGather, bytesOf(inputs));
}

}  // namespace shardlens
