#pragma once

#include "core/comm/communicator.h"

namespace shardlens {

// All ranks in this process, their buffers side by side in memory.
class SimulatedCommunicator final : public Communicator {
 public:
  explicit SimulatedCommunicator(int ranks);

  const std::vector<int>& hosted() const override { return hosted_; }
  void allReduce(const GroupSet& groups, const Buffers& buffers, ReduceOp op) override;
  void allGather(const GroupSet& groups, const Buffers& inputs, const BufferLists& into) override;
  void reduceScatter(const GroupSet& groups, const BufferLists& inputs, const Buffers& into,
                     ReduceOp op) override;
  void allToAll(const GroupSet& groups, const BufferLists& inputs,
                const BufferLists& into) override;

 private:
  std::vector<int> hosted_;
};

}  // namespace shardlens
