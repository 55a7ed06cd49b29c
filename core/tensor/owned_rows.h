#pragma once

#include "core/comm/communicator.h"
#include "core/tensor/layout/step_geometry.h"

#include <memory>
#include <vector>

namespace shardlens {

class Runtime;

// Note [Rows with one owner]
// A lookup in a table whose rows are cut leaves every rank a term: the rows it owns, and zeros for
// those of others. Its ids are the same on all ranks, so all know who owns which row, and the terms
// need not be there: ranks of this process that reduce together share a buffer, where each has put
// the rows it owns, until somebody wants the terms. To reduce them, plans move rows rather than add
// terms: Move::AllGatherRows and Move::AllToAllRows, see core/plan/row_moves.h. The values are
// those of a sum with zeros, but for the sign of a zero, which is the table's. Small results are
// terms from the beginning. Without data nobody knows the owners: a dry run plans the same moves,
// and sends as many rows as if each member owned equally many.

// Rows of which each belongs to one member of a group, for the members that this process hosts.
struct SharedRows {
  at::Tensor rows;                   // contiguous; those of members elsewhere mean nothing yet
  at::Tensor owners;                 // of each row, by place in the group; int32
  std::vector<std::int64_t> counts;  // how many each member has

  // The term of a member, and of each row whether it is another's.
  at::Tensor term(int member) const;
  at::Tensor mask(int member) const;

  // A member's rows, one after another.
  at::Tensor take(int member) const;
  void put(int member, const at::Tensor& taken) const;
  at::Tensor room(int member) const;
  // The same of rows that need not move, for they stand where they belong: it only says how many.
  at::Tensor standing(int member) const;

  // Those that stand in a piece alone: to be taken from, or copied to be put into.
  SharedRows within(const Piece& piece) const;
  SharedRows copyOf(const Piece& piece) const;

 private:
  SharedRows standingIn(const Piece& piece, at::Tensor rowsThere) const;
};

// The pending result of such a lookup, which all aliases of a tensor share. A caller that gets its
// terms may write on them: from then on the terms are the tensor's data.
class OwnedRows {
 public:
  struct Part {
    std::shared_ptr<const SharedRows> group;
    int member;  // the rank's place in it
  };

  // A part for each hosted rank.
  explicit OwnedRows(std::vector<Part> parts);

  // For each hosted rank its group's buffer, of the size that its term has.
  const Buffers& buffers() const { return buffers_; }

  bool hasTerms() const { return made_; }
  const Buffers& terms();
  // The same, but rows stay rows.
  Buffers lookAtTerms() const;

  // What the ranks have after a step that moves owned rows.
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
