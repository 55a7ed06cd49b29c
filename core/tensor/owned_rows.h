#pragma once

#include "core/comm/communicator.h"
#include "core/tensor/layout/step_geometry.h"

#include <memory>
#include <vector>

namespace shardlens {

class Runtime;

// Note [Rows with one owner]
// A lookup in a table sharded by rows gives every rank a partial value: the rows it owns, and zeros
// for the rows of other ranks. All ranks have the same ids, so each knows the owner of every row.
// The partial values therefore need not be materialised: ranks of this process that reduce together
// share one buffer, into which each writes the rows it owns. To reduce them, plans move rows
// instead of adding partial values: Move::AllGatherRows and Move::AllToAllRows, see
// core/plan/row_moves.h. The result equals the sum with zeros, except that a zero keeps the sign it
// has in the table. Small results are stored as partial values from the beginning. Without data the
// owners are unknown: a dry run plans the same moves and assumes that all members own equally many
// rows.

// The rows of a group's members in one CPU buffer. Each row belongs to one member. This process
// fills in the rows of the members that it hosts.
struct SharedRows {
  // [ids..., width], contiguous. Rows of members in other processes are undefined until received.
  at::Tensor rows;
  at::Tensor owners;                 // [ids...] int32: index of the owner in the group
  std::vector<std::int64_t> counts;  // number of rows of each member

  // partial() returns a copy with the member's rows, and zeros elsewhere. mask() is true for each
  // row that another member owns.
  at::Tensor partial(int member) const;
  at::Tensor mask(int member) const;

  // take() returns a packed [count, width] copy of the member's rows. put() writes such a copy
  // back. room() returns an uninitialised buffer of that size.
  at::Tensor take(int member) const;
  void put(int member, const at::Tensor& taken) const;
  at::Tensor room(int member) const;
  // Returns a placeholder of the size of take(), for rows that are in place already; its contents
  // are not meant to be read.
  at::Tensor standing(int member) const;

  // Return the rows inside a piece: within() for reading, copyOf() as a copy that can be written.
  SharedRows within(const Piece& piece) const;
  SharedRows copyOf(const Piece& piece) const;

 private:
  SharedRows standingIn(const Piece& piece, at::Tensor rowsThere) const;
};

// The pending result of a lookup, as owned rows; all aliases of the tensor share it. The partial
// values are materialised by partials(), and are the tensor's data from then on.
class OwnedRows {
 public:
  struct Part {
    std::shared_ptr<const SharedRows> group;
    int member;  // the rank's index in the group
  };

  // Takes one part per hosted rank.
  explicit OwnedRows(std::vector<Part> parts);

  // Returns one buffer per hosted rank, of the size of its partial value: the group's rows, or the
  // partial values once hasPartials().
  const Buffers& buffers() const { return buffers_; }

  bool hasPartials() const { return made_; }
  // Returns the partial values, which callers may write on. Materialises them on the first call.
  const Buffers& partials();
  // Returns the partial values and keeps the rows as they are.
  Buffers readPartials() const;

  // Executes a step of a plan that moves owned rows, and returns the new locals. Collective.
  // Requires !hasPartials().
  Buffers moved(Runtime& runtime, const TransformInfo& step, const StepGeometry& geometry) const;

 private:
  Buffers gathered(Runtime& runtime, const std::vector<int>& meshDims) const;
  Buffers exchanged(Runtime& runtime, const std::vector<int>& meshDims,
                    const StepGeometry& geometry) const;
  Buffers movedWithoutData(Runtime& runtime, const TransformInfo& step,
                           const StepGeometry& geometry) const;

  std::vector<Part> parts_;
  Buffers buffers_;
  bool made_ = false;
};

}  // namespace shardlens
