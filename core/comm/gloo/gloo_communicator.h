#pragma once

#include "core/cluster/processes.h"
#include "core/comm/communicator.h"

namespace shardlens {

// A communicator of ranks that are spread evenly over processes connected by Gloo. Of R ranks on K
// processes, process p hosts the R/K ranks from p * R/K on. Every collective is a batch of messages
// between ranks that are all in flight at once. Every reduction adds in the group's order, so
// results are bitwise those of SimulatedCommunicator. Works on CPU buffers. Shares ownership of
// `processes` with the communicators from over().
class GlooCommunicator final : public Communicator {
 public:
  // Hosts all of `ranks`, a positive multiple of the number of processes; any other number is an
  // error. Sets the number of ranks per process in `processes`.
  static Result<std::unique_ptr<GlooCommunicator>> make(std::shared_ptr<Processes> processes,
                                                        int ranks);

  const std::vector<int>& hosted() const override { return hosted_; }
  bool isAlone() const override { return processes_->processes() == 1; }
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
  // Returns the index of a hosted rank in hosted_. Throws CheckFailed if the rank is not hosted.
  std::size_t at(int rank) const;
  // Returns the buffer of the i-th hosted rank that is sent to, or received from, a member of its
  // group. Both ends return an undefined tensor, or an empty one, if there is no message.
  using Choice = std::function<at::Tensor(std::size_t i, std::size_t member)>;
  // Exchanges the messages of one collective. With a root, only the member at that index sends.
  void move(const char* collective, const GroupSet& groups, std::optional<int> root,
            const Choice& from, const Choice& into) const;
  // Sends each rank's input to all members of its group.
  void gather(const char* collective, const GroupSet& groups, const Buffers& inputs,
              const BufferLists& into) const;
  // Sends each piece to its receiver, which reduces them.
  void reducePieces(const char* collective, const GroupSet& groups, const BufferLists& inputs,
                    const Buffers& into, Reduction reduction) const;
  // All-reduces in one round: each process receives whole buffers and reduces them once.
  void reduceWhole(const GroupSet& groups, const Buffers& inputs, const Buffers& into,
                   Reduction reduction) const;
  // All-reduces in two rounds: each member reduces one piece and sends the result to all members.
  void reduceInPieces(const GroupSet& groups, const Buffers& inputs, const Buffers& into,
                      Reduction reduction) const;

  std::shared_ptr<Processes> processes_;
  int ranksPerProcess_;
  std::vector<int> hosted_;
};

}  // namespace shardlens
