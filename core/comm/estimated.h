#pragma once

#include "core/comm/communicator.h"
#include "core/plan/cost.h"

#include <chrono>

namespace shardlens {

// How long the collectives of a dry run would have taken so far.
using EstimatedTime = std::chrono::duration<double, std::micro>;

// The first of many ranks, with nobody at the other end: nothing is sent, what would be filled
// stays as it is, and the time that it would have taken is added up. A rank that others cut
// unevenly from is the first, which has the most.
class DryCommunicator final : public Communicator {
 public:
  DryCommunicator(const CostModel& costs, at::Device device);

  // Of all communicators made of this one together.
  const std::shared_ptr<EstimatedTime>& time() const { return time_; }

  const std::vector<int>& hosted() const override { return hosted_; }
  at::Device device(int) const override { return device_; }
  at::DeviceType deviceType() const override { return device_.type(); }
  std::unique_ptr<Communicator> over(const std::vector<int>& ranks) const override;
  void allReduce(const GroupSet& groups, const Buffers& inputs, const Buffers& into,
                 Reduction reduction) override;
  void allGather(const GroupSet& groups, const Buffers& inputs, const BufferLists& into) override;
  void reduceScatter(const GroupSet& groups, const BufferLists& inputs, const Buffers& into,
                     Reduction reduction) override;
  void allToAll(const GroupSet& groups, const BufferLists& inputs,
                const BufferLists& into) override;
  void haloExchange(const GroupSet& groups, const BufferLists& inputs, const BufferLists& into,
                    const std::string& why) override;
  void broadcast(const GroupSet& groups, int root, const Buffers& inputs,
                 const Buffers& into) override;
  void scatter(const GroupSet& groups, int root, const BufferLists& inputs,
               const Buffers& into) override;
  std::vector<std::string> allGatherStrings(const std::string& mine) override { return {mine}; }

 private:
  void estimate(const GroupSet& groups, Move move, std::int64_t bytes) const;
  template <class Rate>
  void estimate(const GroupSet& groups, std::int64_t bytes, Rate rateAmong) const;

  CostModel costs_;
  at::Device device_;
  std::vector<int> hosted_ = {0};
  std::shared_ptr<EstimatedTime> time_;
};

}  // namespace shardlens
