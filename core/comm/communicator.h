#pragma once

#include "core/model/placement.h"

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

namespace shardlens {

// Who takes part in a collective: every rank is in exactly one group, its members in order.
struct GroupSet {
  std::string axis;  // for people: the mesh dimension's name and number
  int meshDim = 0;
  std::vector<std::vector<int>> groups;
};

// For each hosted rank its buffer, in the order of hosted().
using Buffers = std::vector<at::Tensor>;
// For each hosted rank a buffer for each member of its group, in the group's order.
using BufferLists = std::vector<Buffers>;

// Moves and reduces buffers among the ranks of a group. A process hosts some of the ranks, passes
// their buffers and gets theirs back; it knows nothing of what the buffers are parts of. Buffers
// may be of different sizes, empty, and views that are not contiguous; what belongs together has
// the same dtype, and a receiver's buffer the sender's shape. All calls are collective: every
// process makes them in the same order.
class Communicator {
 public:
  virtual ~Communicator() = default;

  virtual const std::vector<int>& hosted() const = 0;

  // Every buffer becomes the reduction of its group's, in place.
  virtual void allReduce(const GroupSet& groups, const Buffers& buffers, ReduceOp op) = 0;
  // into[i][j] receives the input of member j.
  virtual void allGather(const GroupSet& groups, const Buffers& inputs,
                         const BufferLists& into) = 0;
  // into[i] receives the reduction of what each member has for it: inputs[i][j] is for member j.
  virtual void reduceScatter(const GroupSet& groups, const BufferLists& inputs, const Buffers& into,
                             ReduceOp op) = 0;
  // into[i][j] receives what member j has for this rank: inputs[i][j] is for member j.
  virtual void allToAll(const GroupSet& groups, const BufferLists& inputs,
                        const BufferLists& into) = 0;
};

// Makes `into`, which may be the first term, the reduction of the terms in their order.
void reduceInto(const at::Tensor& into, const Buffers& terms, ReduceOp op);

std::int64_t bytesOf(const Buffers& buffers);
std::int64_t bytesOf(const BufferLists& lists);

}  // namespace shardlens
