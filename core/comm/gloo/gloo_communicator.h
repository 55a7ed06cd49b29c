#pragma once

#include "core/cluster/processes.h"
#include "core/comm/communicator.h"

namespace shardlens {

// Ranks spread evenly over processes that Gloo connects: process p of K hosts the p-th K-th of
// them. Every collective is a list of messages from rank to rank, all under way at once, and every
// reduction adds its terms in the group's order: results are those of simulated ranks to the bit.
class GlooCommunicator final : public Communicator {
 public:
  // For all of `ranks`, which the number of processes must divide.
  static Result<std::unique_ptr<GlooCommunicator>> make(std::shared_ptr<Processes> processes,
                                                        int ranks);

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
  std::vector<std::string> allGatherStrings(const std::string& mine) override {
    return processes_->allGatherStrings("an operator's words", mine);
  }

 private:
  GlooCommunicator(std::shared_ptr<Processes> processes, int ranksPerProcess,
                   const std::vector<int>& ranks);

  bool hosts(int rank) const { return rank / ranksPerProcess_ == processes_->process(); }
  // The place of a hosted rank among the hosted.
  std::size_t at(int rank) const;
  // A buffer of the i-th hosted rank that is meant for, or comes from, a member of its group. Where
  // it is undefined, at both ends, there is no message.
  using Choice = std::function<at::Tensor(std::size_t i, std::size_t member)>;
  // With a root only that member sends.
  void move(const char* collective, const GroupSet& groups, std::optional<int> root,
            const Choice& from, const Choice& into) const;
  void gather(const char* collective, const GroupSet& groups, const Buffers& inputs,
              const BufferLists& into) const;
  void reducePieces(const char* collective, const GroupSet& groups, const BufferLists& inputs,
                    const Buffers& into, Reduction reduction) const;
  void reduceWhole(const GroupSet& groups, const Buffers& inputs, const Buffers& into,
                   Reduction reduction) const;
  void reduceInPieces(const GroupSet& groups, const Buffers& inputs, const Buffers& into,
                      Reduction reduction) const;

  std::shared_ptr<Processes> processes_;
  int ranksPerProcess_;
  std::vector<int> hosted_;
};

}  // namespace shardlens
