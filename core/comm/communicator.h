#pragma once

#include "core/memory/buffers.h"
#include "core/model/group_set.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace shardlens {

// Moves and reduces buffers among the ranks of a group. A process hosts some of the ranks, or none,
// and passes and receives only the buffers of its hosted ranks. A communicator does not know the
// tensors that the buffers belong to. Buffers may differ in size, be empty, or be non-contiguous
// views. The buffers of one group have one dtype, and a receiver's buffer has the sender's shape.
// Inputs are not modified, unless the caller passes one as an output. All calls are collective:
// every process makes the same calls in the same order. They throw RankLost if another process is
// lost. Below, i is an index into hosted(), and members are counted in their group's order. Not
// thread-safe: one thread makes the calls.
class Communicator {
 public:
  virtual ~Communicator() = default;

  // Returns the ranks that this process hosts, ascending.
  virtual const std::vector<int>& hosted() const = 0;
  // Returns the device of a hosted rank's buffers.
  virtual at::Device device(int rank) const {
    (void)rank;
    return at::kCPU;
  }
  // Returns the device type of the buffers of all ranks, hosted or not.
  virtual at::DeviceType deviceType() const { return at::kCPU; }
  // Returns true if this is the only process of the run, which decides alone.
  virtual bool isAlone() const { return true; }
  // Returns a communicator that hosts only those of `ranks` that this process hosts, over the same
  // connections. `ranks` must be ranks of this communicator. The returned object may outlive this
  // one.
  virtual std::unique_ptr<Communicator> over(const std::vector<int>& ranks) const = 0;

  // Reduces over each group: into[i] receives the result and may be inputs[i]. Hosted ranks of one
  // group may share one output buffer, which is then filled once.
  virtual void allReduce(const GroupSet& groups, const Buffers& inputs, const Buffers& into,
                         Reduction reduction) = 0;
  // into[i][j] receives the input of member j. Hosted ranks of one group may share output buffers.
  virtual void allGather(const GroupSet& groups, const Buffers& inputs,
                         const BufferLists& into) = 0;
  // inputs[i][j] is the addend for member j; into[i] receives the reduction of the addends for it.
  virtual void reduceScatter(const GroupSet& groups, const BufferLists& inputs, const Buffers& into,
                             Reduction reduction) = 0;
  // inputs[i][j] is sent to member j; into[i][j] receives from member j.
  virtual void allToAll(const GroupSet& groups, const BufferLists& inputs,
                        const BufferLists& into) = 0;
  // An allToAll() in which only neighbouring members exchange data; all other buffers are empty.
  // `why` is the reason that is recorded with the event.
  virtual void haloExchange(const GroupSet& groups, const BufferLists& inputs,
                            const BufferLists& into, const std::string& why) {
    (void)why;
    allToAll(groups, inputs, into);
  }
  // into[i] receives the input of the member at index `root` of its group. Reads only the roots'
  // inputs.
  virtual void broadcast(const GroupSet& groups, int root, const Buffers& inputs,
                         const Buffers& into) = 0;
  // into[i] receives inputs[r][j], where r is the member at index `root` of its group and j the
  // receiver's index in the group.
  virtual void scatter(const GroupSet& groups, int root, const BufferLists& inputs,
                       const Buffers& into) = 0;

  // A collective is complete when it returns, unless it was made asynchronous. On GPUs, it is
  // complete for work that is queued on the current streams afterwards. Before wait() for an
  // asynchronous collective, do not read its outputs or write its inputs.

  // Makes the next collective asynchronous and returns its number for wait(). Returns 0 if this
  // communicator has no asynchronous collectives. The following collective, allGatherStrings() and
  // the destructor also wait for it.
  virtual std::uint64_t makeNextAsync() { return 0; }
  // Makes work that is queued after this call see the outputs of the running asynchronous
  // collective. With a number, waits only if the running collective has that number. Does nothing
  // if none is running. wait(0) does nothing.
  virtual void wait() {}
  virtual void wait(std::uint64_t number) { (void)number; }

  // Returns the strings of all processes, ordered by the lowest rank that each process hosts.
  // Collective. Not recorded: the engine uses it for its own agreement and gathering.
  virtual std::vector<std::string> allGatherStrings(const std::string& mine) = 0;
};

// Reduces `addends`, in their order, into `into`, which may be one of them. Throws CheckFailed for
// no addends.
void reduceInto(const at::Tensor& into, const Buffers& addends, Reduction reduction);

// Return the total size of the defined buffers.
std::int64_t bytesOf(const Buffers& buffers);
std::int64_t bytesOf(const BufferLists& lists);

}  // namespace shardlens
