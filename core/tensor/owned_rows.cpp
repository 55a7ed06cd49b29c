#include "core/tensor/owned_rows.h"

#include "core/memory/buffer_pool.h"
#include "core/memory/row_lookup.h"
#include "core/tensor/runtime.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace shardlens {
namespace {

// Flattens the ids: [ids..., width] -> [rows, width].
at::Tensor asList(const at::Tensor& rows) {
  const std::int64_t width = rows.size(-1);
  const auto ids = rows.sizes().slice(0, rows.sizes().size() - 1);
  return rows.reshape({c10::multiply_integers(ids), width});
}

// Returns the row at each position; a position of -1 gives zeros.
at::Tensor pick(const at::Tensor& rows, const at::Tensor& positions) {
  const auto list = asList(rows);
  return lookUp(list, positions, {0, list.size(0)});
}

at::Tensor positionsOf(const at::Tensor& owners, int member) {
  return owners.eq(member).flatten().nonzero().flatten();
}

// Returns the piece of the ids whose rows make up a piece of the rows.
Piece rowsOf(Piece piece) {
  piece.begin.back() = 0;
  piece.shape.back() = 1;
  if (!piece.stretches.empty()) piece.stretches.back() = {{0, 1}};
  return piece;
}

// The groups along some mesh dimensions, and which of their members this process hosts.
class Members {
 public:
  Members(Runtime& runtime, const std::vector<int>& meshDims)
      : groups_(runtime.groups(meshDims)), hosted_(runtime.comm().hosted()) {}

  const GroupSet& set() const { return groups_.set(); }
  // Returns the ranks of the i-th hosted rank's group.
  const std::vector<int>& of(std::size_t i) const { return groups_.groupOf(hosted_[i]); }
  bool isHere(int rank) const { return std::binary_search(hosted_.begin(), hosted_.end(), rank); }
  bool allHere(std::size_t i) const {
    return std::all_of(of(i).begin(), of(i).end(), [this](int rank) { return isHere(rank); });
  }
  // Returns the index of the first hosted rank of that group; it may be any member.
  std::size_t first(std::size_t i) const {
    std::size_t first = i;
    for (const int rank : of(i)) first = isHere(rank) ? std::min(first, at(rank)) : first;
    return first;
  }
  std::size_t at(int rank) const {
    return static_cast<std::size_t>(std::lower_bound(hosted_.begin(), hosted_.end(), rank) -
                                    hosted_.begin());
  }

  // Writes the rows received from other processes for the i-th hosted rank.
  void settle(std::size_t i, const SharedRows& rows, const Buffers& arrived) const {
    for (std::size_t j = 0; j < arrived.size(); ++j) {
      if (!isHere(of(i)[j])) rows.put(static_cast<int>(j), arrived[j]);
    }
  }

 private:
  const MeshGroups& groups_;
  const std::vector<int>& hosted_;
};

}  // namespace

at::Tensor SharedRows::partial(int member) const {
  if (rows.is_meta()) return at::empty_like(rows);
  const auto own = at::arange(owners.numel(), at::kLong).masked_fill_(mask(member).flatten(), -1);
  return pick(rows, own).view(rows.sizes());
}

at::Tensor SharedRows::mask(int member) const { return owners.ne(member); }

at::Tensor SharedRows::take(int member) const { return pick(rows, positionsOf(owners, member)); }

void SharedRows::put(int member, const at::Tensor& taken) const {
  const auto positions = positionsOf(owners, member);
  const auto count = static_cast<std::size_t>(positions.numel());
  kernels::putRows(taken.const_data_ptr(), rowBytesOf(rows),
                   {positions.const_data_ptr<std::int64_t>(), count}, rows.mutable_data_ptr());
}

at::Tensor SharedRows::room(int member) const {
  return emptyBuffer({counts[static_cast<std::size_t>(member)], rows.size(-1)}, rows.options());
}

at::Tensor SharedRows::standing(int member) const {
  return asList(rows).narrow(0, 0, counts[static_cast<std::size_t>(member)]);
}

SharedRows SharedRows::within(const Piece& piece) const {
  return standingIn(piece, takePiece(rows, piece));
}

SharedRows SharedRows::copyOf(const Piece& piece) const {
  return standingIn(piece, copyPiece(rows, piece));
}

SharedRows SharedRows::standingIn(const Piece& piece, at::Tensor rowsThere) const {
  SharedRows part{std::move(rowsThere), copyPiece(owners.unsqueeze(-1), rowsOf(piece)),
                  std::vector<std::int64_t>(counts.size())};
  const auto* owner = part.owners.const_data_ptr<std::int32_t>();
  for (std::int64_t i = 0; i < part.owners.numel(); ++i) {
    ++part.counts[static_cast<std::size_t>(owner[i])];
  }
  return part;
}

OwnedRows::OwnedRows(std::vector<Part> parts) : parts_(std::move(parts)) {
  for (const auto& part : parts_) buffers_.push_back(part.group->rows);
}

const Buffers& OwnedRows::partials() {
  if (!made_) buffers_ = readPartials();
  made_ = true;
  parts_.clear();
  return buffers_;
}

Buffers OwnedRows::readPartials() const {
  if (made_) return buffers_;
  Buffers partials;
  for (const auto& [group, member] : parts_) partials.push_back(group->partial(member));
  return partials;
}

Buffers OwnedRows::moved(Runtime& runtime, const TransformInfo& step,
                         const StepGeometry& geometry) const {
  const bool hasData = parts_.empty() || !parts_.front().group->rows.is_meta();
  if (!hasData) return movedWithoutData(runtime, step, geometry);
  return step.move == Move::AllGatherRows ? gathered(runtime, step.meshDims)
                                          : exchanged(runtime, step.meshDims, geometry);
}

Buffers OwnedRows::gathered(Runtime& runtime, const std::vector<int>& meshDims) const {
  const Members members(runtime, meshDims);
  Buffers inputs;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const auto& [group, member] = parts_[i];
    inputs.push_back(members.allHere(i) ? group->standing(member) : group->take(member));
  }
  BufferLists into(parts_.size());
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    if (members.first(i) != i) {
      into[i] = into[members.first(i)];
      continue;
    }
    int member = 0;
    for (const int rank : members.of(i)) {
      into[i].push_back(members.isHere(rank) ? inputs[members.at(rank)]
                                             : parts_[i].group->room(member));
      ++member;
    }
  }
  runtime.comm().allGather(members.set(), inputs, into);
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    if (members.first(i) == i) members.settle(i, *parts_[i].group, into[i]);
  }
  Buffers results;
  for (const auto& part : parts_) results.push_back(at::_lazy_clone(part.group->rows));
  return results;
}

Buffers OwnedRows::exchanged(Runtime& runtime, const std::vector<int>& meshDims,
                             const StepGeometry& geometry) const {
  const Members members(runtime, meshDims);
  std::vector<SharedRows> results;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const auto& [group, member] = parts_[i];
    results.push_back(group->copyOf(geometry.leaving[i][static_cast<std::size_t>(member)]));
  }
  BufferLists inputs(parts_.size()), into(parts_.size());
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    int member = 0;
    for (const int rank : members.of(i)) {
      into[i].push_back(members.isHere(rank) ? results[i].standing(member)
                                             : results[i].room(member));
      ++member;
    }
  }
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const auto& [group, member] = parts_[i];
    const auto& ranks = members.of(i);
    for (std::size_t j = 0; j < ranks.size(); ++j) {
      inputs[i].push_back(members.isHere(ranks[j])
                              ? into[members.at(ranks[j])][static_cast<std::size_t>(member)]
                              : group->within(geometry.leaving[i][j]).take(member));
    }
  }
  runtime.comm().allToAll(members.set(), inputs, into);
  Buffers out;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    members.settle(i, results[i], into[i]);
    out.push_back(results[i].rows);
  }
  return out;
}

Buffers OwnedRows::movedWithoutData(Runtime& runtime, const TransformInfo& step,
                                    const StepGeometry& geometry) const {
  const GroupSet& groups = runtime.groups(step.meshDims).set();
  Buffers own, out;
  BufferLists sent, into;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const at::Tensor rows = asList(parts_[i].group->rows);
    const auto members = static_cast<std::int64_t>(parts_[i].group->counts.size());
    own.push_back(rows.narrow(0, 0, (rows.size(0) + members - 1) / members));
    out.push_back(at::empty(geometry.results[i], rows.options()));
    sent.push_back({own.back()});
    into.push_back({out.back()});
  }
  if (step.move == Move::AllGatherRows) {
    runtime.comm().allGather(groups, own, into);
  } else {
    runtime.comm().allToAll(groups, sent, into);
  }
  return out;
}

}  // namespace shardlens
