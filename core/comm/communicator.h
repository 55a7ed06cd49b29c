#pragma once

#include "core/memory/buffers.h"
#include "core/model/group_set.h"

#include <ATen/core/Tensor.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace shardlens {

// Moves and reduces buffers among the ranks of a group. A process hosts some of the ranks, or none,
// and passes and receives the buffers of these alone. A communicator knows nothing of the tensors
// whose parts the buffers are. Buffers may be of different sizes, empty, and views that are not
// contiguous; those of one group have the same dtype, and a receiver's buffer has the sender's
// shape. Inputs are not changed. Every process makes the same calls in the same order.
class Communicator {
 public:
  virtual ~Communicator() = default;

  // Ascending.
  virtual const std::vector<int>& hosted() const = 0;
  // Where the buffers of a hosted rank lie.
  virtual at::Device device(int rank) const {
    (void)rank;
    return at::kCPU;
  }
  // On what kind of device the buffers of all ranks lie, hosted or not.
  virtual at::DeviceType deviceType() const { return at::kCPU; }
  // A communicator among these ranks alone, over the same connections.
  virtual std::unique_ptr<Communicator> over(const std::vector<int>& ranks) const = 0;

  // into[i] receives the reduction of its group's inputs; it may be inputs[i]. Ranks of one group
  // that this process hosts may share one buffer, which then is filled once.
  virtual void allReduce(const GroupSet& groups, const Buffers& inputs, const Buffers& into,
                         Reduction reduction) = 0;
  // into[i][j] receives the input of member j. Ranks of one group may share buffers here too.
  virtual void allGather(const GroupSet& groups, const Buffers& inputs,
                         const BufferLists& into) = 0;
  // into[i] receives the reduction of what each member has for it: inputs[i][j] is for member j.
  virtual void reduceScatter(const GroupSet& groups, const BufferLists& inputs, const Buffers& into,
                             Reduction reduction) = 0;
  // into[i][j] receives what member j has for this rank: inputs[i][j] is for member j.
  virtual void allToAll(const GroupSet& groups, const BufferLists& inputs,
                        const BufferLists& into) = 0;
  // The same where only members beside one another have anything for one another; the other buffers
  // are empty. It says why, to whoever reads of it.
  virtual void haloExchange(const GroupSet& groups, const BufferLists& inputs,
                            const BufferLists& into, const std::string& why) {
    (void)why;
    allToAll(groups, inputs, into);
  }
  // into[i] receives the input of its group's member number `root`; only roots' inputs are read.
  virtual void broadcast(const GroupSet& groups, int root, const Buffers& inputs,
                         const Buffers& into) = 0;
  // into[i] receives what its group's member number `root` has for it: inputs[i][j] is for member
  // j.
  virtual void scatter(const GroupSet& groups, int root, const BufferLists& inputs,
                       const Buffers& into) = 0;

  // How long the last collective took on the slowest of this process's GPUs, by the GPU's own
  // clock; none where no GPU took part.
  virtual std::optional<std::chrono::nanoseconds> deviceTime() const { return std::nullopt; }

  // A collective is complete when it returns, unless it was made asynchronous. Until wait() for an
  // asynchronous one, its outputs must not be read and its inputs must not be written.

  // Makes the next collective asynchronous, and returns its number for wait(); 0 where this
  // communicator has no asynchronous ones. The next collective, allGatherStrings and the destructor
  // wait for it too.
  virtual std::uint64_t makeNextAsync() { return 0; }
  // Whatever is computed after this call sees the outputs of the asynchronous collective: of the
  // one under way, or only if it has this number.
  virtual void wait() {}
  virtual void wait(std::uint64_t number) { (void)number; }

  // Every process's string, to all processes, in the order of the lowest rank each hosts. The
  // engine itself needs it, to agree and to gather answers: it is not recorded.
  virtual std::vector<std::string> allGatherStrings(const std::string& mine) = 0;
};

// Makes `into`, which may be one of the terms, the reduction of the terms in their order.
void reduceInto(const at::Tensor& into, const Buffers& terms, Reduction reduction);

std::int64_t bytesOf(const Buffers& buffers);
std::int64_t bytesOf(const BufferLists& lists);

}  // namespace shardlens
