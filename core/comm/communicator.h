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
// passes their buffers and gets theirs back; it knows nothing of what the buffers are parts of.
// Buffers may be of different sizes, empty, and views that are not contiguous; what belongs
// together has the same dtype, and a receiver's buffer the sender's shape. Inputs are left as they
// are. All calls are collective: every process makes them in the same order.
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
  // The same ranks' ways to one another, for some of them only.
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
  // into[i] receives the input of the member that stands at `root` in its group; only the roots'
  // inputs are read.
  virtual void broadcast(const GroupSet& groups, int root, const Buffers& inputs,
                         const Buffers& into) = 0;
  // into[i] receives what that member has for it: inputs[i][j] is for member j.
  virtual void scatter(const GroupSet& groups, int root, const BufferLists& inputs,
                       const Buffers& into) = 0;

  // How long the last collective took by the clocks of this process's GPUs, on the one that took
  // longest; none where no GPU carried it.
  virtual std::optional<std::chrono::nanoseconds> deviceTime() const { return std::nullopt; }

  // A collective is complete when it returns, but for one that was let go on: until it has arrived
  // nobody may look at what it fills, nor change what it reads.

  // Lets the next collective go on after it has returned, and says by which number it is known; 0
  // where it will not. Another collective, words and the end have it arrive first.
  virtual std::uint64_t makeNextAsync() { return 0; }
  // Whatever goes on has arrived for all that is computed from here on; or what has this number.
  virtual void arrive() {}
  virtual void arrive(std::uint64_t number) { (void)number; }

  // What every process says, to all of them, in the order of the lowest rank each hosts. Not a
  // collective of the program: the engine's own, to agree and to gather answers.
  virtual std::vector<std::string> allGatherStrings(const std::string& words) = 0;
};

// Makes `into`, which may be one of the terms, the reduction of the terms in their order.
void reduceInto(const at::Tensor& into, const Buffers& terms, Reduction reduction);

std::int64_t bytesOf(const Buffers& buffers);
std::int64_t bytesOf(const BufferLists& lists);

}  // namespace shardlens
