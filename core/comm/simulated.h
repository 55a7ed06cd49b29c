#pragma once

#include "core/comm/communicator.h"

namespace shardlens {

// A communicator that hosts all its ranks in this process, with their buffers in one memory. Its
// collectives complete before they return (on GPUs: are queued) and never throw RankLost. over()
// hosts all ranks that it is given.
class SimulatedCommunicator final : public Communicator {
 public:
  // Hosts ranks 0 to `ranks` - 1, or these ranks in any order.
  explicit SimulatedCommunicator(int ranks);
  explicit SimulatedCommunicator(std::vector<int> ranks);

  const std::vector<int>& hosted() const override { return hosted_; }
  std::unique_ptr<Communicator> over(const std::vector<int>& ranks) const override;
  void allReduce(const GroupSet& groups, const Buffers& inputs, const Buffers& into,
                 Reduction reduction) override;
  void allGather(const GroupSet& groups, const Buffers& inputs, const BufferLists& into) override;
  void reduceScatter(const GroupSet& groups, const BufferLists& inputs, const Buffers& into,
                     Reduction reduction) override;
  void allToAll(const GroupSet& groups, const BufferLists& inputs,
                const BufferLists& into) override;
  void broadcast(const GroupSet& groups, int root, const Buffers& inputs,
                 const Buffers& into) override;
  void scatter(const GroupSet& groups, int root, const BufferLists& inputs,
               const Buffers& into) override;
  std::vector<std::string> allGatherStrings(const std::string& mine) override { return {mine}; }

 private:
  // Returns the index of a rank in hosted_.
  std::size_t at(int rank) const;

  std::vector<int> hosted_;
};

}  // namespace shardlens
