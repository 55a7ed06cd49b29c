#pragma once

#include "core/comm/communicator.h"

#include <memory>
#include <vector>

namespace shardlens {

class Processes;
class NcclCollectives;

// A communicator of ranks on GPUs that NCCL connects. A synchronous collective that uses NCCL has
// ended when it returns, so its GPU errors are thrown as RankLost by the same call. One among the
// ranks of single GPUs is only queued on the current streams, as torch's operators are. After an
// error every further collective throws. The error of an asynchronous collective is thrown at the
// latest by the next collective or allGatherStrings(). A run of several processes has no
// asynchronous collectives, because its processes watch one another while NCCL runs.
class NcclCommunicator final : public Communicator {
 public:
  // `hosted` are the ranks of this process. Buffers of a rank are expected on its device of `type`,
  // which is CUDA except in tests; other buffers are copied there and back. `processes` are the
  // processes of the run, or null if this is the only one.
  NcclCommunicator(std::shared_ptr<NcclCollectives> ranks, at::DeviceType type,
                   std::vector<int> hosted, std::shared_ptr<Processes> processes);

  const std::vector<int>& hosted() const override { return hosted_; }
  at::Device device(int rank) const override;
  at::DeviceType deviceType() const override { return type_; }
  bool isAlone() const override { return processes_ == nullptr; }
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
  // Returns true if this process and `process` both have ranks in one of the groups.
  bool hasPart(int process, const GroupSet& groups) const;

  std::shared_ptr<NcclCollectives> ranks_;
  at::DeviceType type_;
  std::vector<int> hosted_;
  std::shared_ptr<Processes> processes_;
  std::shared_ptr<AsyncCollective> async_;  // shared by all communicators from over()
};

}  // namespace shardlens
