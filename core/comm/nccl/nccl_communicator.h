#pragma once

#include "core/comm/communicator.h"

#include <memory>
#include <vector>

namespace shardlens {

class Processes;
class NcclCollectives;

// Ranks on GPUs, which NCCL connects. A collective has ended when it returns, so that an error on a
// GPU is thrown, as RankLost, by the collective that made it; nothing can be sent after one. The
// error of an asynchronous collective is thrown by the next call of any kind. A run of several
// processes has no asynchronous ones, because its processes watch one another while NCCL works.
class NcclCommunicator final : public Communicator {
 public:
  // `hosted` are the ranks of this process. The buffers of a rank lie on its device of `type`,
  // which is CUDA except in tests; others are copied there and back. `processes` are those of the
  // run; null where this is the only one.
  NcclCommunicator(std::shared_ptr<NcclCollectives> ranks, at::DeviceType type,
                   std::vector<int> hosted, std::shared_ptr<Processes> processes);

  const std::vector<int>& hosted() const override { return hosted_; }
  at::Device device(int rank) const override;
  at::DeviceType deviceType() const override { return type_; }
  std::optional<std::chrono::nanoseconds> deviceTime() const override { return deviceTime_; }
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
  std::uint64_t makeNextAsync() override;
  void wait() override;
  void wait(std::uint64_t number) override;
  std::vector<std::string> allGatherStrings(const std::string& mine) override;

 private:
  class AsyncCollective;

  template <class Call>
  void runCollective(const char* collective, const GroupSet& groups, Call call);
  bool hasPart(int process, const GroupSet& groups) const;

  std::shared_ptr<NcclCollectives> ranks_;
  at::DeviceType type_;
  std::vector<int> hosted_;
  std::shared_ptr<Processes> processes_;
  std::shared_ptr<AsyncCollective> async_;  // of all communicators made of one
  std::optional<std::chrono::nanoseconds> deviceTime_;
};

}  // namespace shardlens
