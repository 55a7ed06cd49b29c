#pragma once

#include "core/comm/communicator.h"
#include "core/plan/cost.h"

#include <chrono>

namespace shardlens {

// A duration in microseconds: the estimated time of a dry run's collectives so far.
using EstimatedTime = std::chrono::duration<double, std::micro>;

// A communicator that hosts rank 0 of many and has no peers. Sends nothing, leaves output buffers
// unchanged, and adds the estimated time of each collective to time(). Rank 0 is simulated because
// it has the largest shard of an unevenly sharded tensor. Copies the cost model. Rank 0's group is
// priced between hosts if a member has a rank of costs.ranksPerHost or more.
class DryCommunicator final : public Communicator {
 public:
  DryCommunicator(const CostModel& costs, at::Device device);

  // Returns the accumulated time, shared by all copies and by the communicators from over().
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
  // Add the time of one collective of `bytes` in rank 0's group. Add nothing if the group has one
  // member or rank 0 is not hosted.
  void estimate(const GroupSet& groups, Move move, std::int64_t bytes) const;
  template <class Rate>
  void estimate(const GroupSet& groups, std::int64_t bytes, Rate rateAmong) const;

  CostModel costs_;
  at::Device device_;
  std::vector<int> hosted_ = {0};
  std::shared_ptr<EstimatedTime> time_;
};

}  // namespace shardlens
