#include "core/tensor/transform.h"

#include "core/base/check.h"
#include "core/tensor/runtime.h"

#include <ATen/ATen.h>

namespace shardlens {
namespace {

// The way back of takeRuns().
void putRuns(const at::Tensor& tensor, int dim, const Runs& runs, const at::Tensor& pieces) {
  std::int64_t from = 0;
  for (const auto& run : runs) {
    tensor.narrow(dim, run.begin, run.length).copy_(pieces.narrow(dim, from, run.length));
    from += run.length;
  }
}

// One step of a plan on the hosted ranks, its four collectives and its local changes.
class Step {
 public:
  Step(Runtime& runtime, const Spec& current, const TransformInfo& step, const Buffers& locals)
      : runtime_(runtime), current_(current), step_(step), locals_(locals), after_(current) {
    after_.placements[static_cast<std::size_t>(step.meshDim)] = step.to;
  }

  Buffers run() const {
    if (isPartial(step_.from) && isPartial(step_.to)) return locals_;
    const bool fromShard = shardedDim(step_.from).has_value();
    const bool toShard = shardedDim(step_.to).has_value();
    if (fromShard && isPartial(step_.to)) return pad();
    if (isReplicate(step_.from)) return toShard ? cut() : terms();
    // A group of one has nothing to send.
    if (ranks() == 1) return locals_;
    if (fromShard) return toShard ? exchange() : gather();
    return toShard ? reduceToShard() : reduce();
  }

 private:
  int ranks() const { return current_.mesh->size(step_.meshDim); }
  int coordinate(int rank) const { return current_.mesh->coordinate(rank, step_.meshDim); }
  const GroupSet& groups() const { return runtime_.groups(step_.meshDim); }
  const std::vector<int>& hosted() const { return runtime_.comm().hosted(); }
  ReduceOp op() const { return partialOp(step_.from).value(); }

  at::Tensor empty(std::size_t i, const Spec& spec) const {
    return at::empty(localShape(spec.meta.shape, *spec.mesh, spec.placements, hosted()[i]),
                     locals_[i].options());
  }

  // Where a member's part of a dimension of n elements stands, under the placement that cuts it.
  Runs runsOf(const Placement& cut, std::int64_t n, int part) const {
    return cutRuns(n, cut, ranks(), part);
  }

  // The members' parts of a tensor, to be sent: views where they are in one piece.
  Buffers parts(const at::Tensor& tensor, const Placement& cut) const {
    const int dim = shardedDim(cut).value();
    Buffers list;
    for (int part = 0; part < ranks(); ++part) {
      list.push_back(takeRuns(tensor, dim, runsOf(cut, tensor.size(dim), part)));
    }
    return list;
  }

  // Buffers to receive the members' parts of a tensor: views into it where they are in one piece.
  Buffers places(const at::Tensor& tensor, const Placement& cut) const {
    if (!isStridedShard(cut)) return parts(tensor, cut);
    const int dim = shardedDim(cut).value();
    auto shape = tensor.sizes().vec();
    Buffers list;
    for (int part = 0; part < ranks(); ++part) {
      shape[static_cast<std::size_t>(dim)] = totalLength(runsOf(cut, tensor.size(dim), part));
      list.push_back(at::empty(shape, tensor.options()));
    }
    return list;
  }

  // Puts what was received beside a tensor where it belongs in it.
  void settle(const at::Tensor& tensor, const Placement& cut, const Buffers& received) const {
    if (!isStridedShard(cut)) return;
    const int dim = shardedDim(cut).value();
    for (int part = 0; part < ranks(); ++part) {
      putRuns(tensor, dim, runsOf(cut, tensor.size(dim), part),
              received[static_cast<std::size_t>(part)]);
    }
  }

  Buffers gather() const {
    Buffers out;
    BufferLists into;
    for (std::size_t i = 0; i < locals_.size(); ++i) {
      out.push_back(empty(i, after_));
      into.push_back(places(out.back(), step_.from));
    }
    runtime_.comm().allGather(groups(), locals_, into);
    for (std::size_t i = 0; i < out.size(); ++i) settle(out[i], step_.from, into[i]);
    return out;
  }

  Buffers exchange() const {
    Buffers out;
    BufferLists inputs, into;
    for (std::size_t i = 0; i < locals_.size(); ++i) {
      out.push_back(empty(i, after_));
      inputs.push_back(parts(locals_[i], step_.to));
      into.push_back(places(out.back(), step_.from));
    }
    runtime_.comm().allToAll(groups(), inputs, into);
    for (std::size_t i = 0; i < out.size(); ++i) settle(out[i], step_.from, into[i]);
    return out;
  }

  Buffers reduceToShard() const {
    Buffers out;
    BufferLists inputs;
    for (std::size_t i = 0; i < locals_.size(); ++i) {
      inputs.push_back(parts(locals_[i], step_.to));
      out.push_back(empty(i, after_));
    }
    runtime_.comm().reduceScatter(groups(), inputs, out, op());
    return out;
  }

  Buffers reduce() const {
    Buffers out;
    for (const auto& local : locals_) out.push_back(local.clone(at::MemoryFormat::Contiguous));
    runtime_.comm().allReduce(groups(), out, op());
    return out;
  }

  Buffers cut() const {
    Buffers out;
    for (std::size_t i = 0; i < locals_.size(); ++i) {
      const int dim = shardedDim(step_.to).value();
      const auto runs = runsOf(step_.to, locals_[i].size(dim), coordinate(hosted()[i]));
      out.push_back(takeRuns(locals_[i], dim, runs).clone(at::MemoryFormat::Contiguous));
    }
    return out;
  }

  // Each rank's shard in its place, zeros elsewhere: the terms of a sum.
  Buffers pad() const {
    Buffers out;
    for (std::size_t i = 0; i < locals_.size(); ++i) {
      out.push_back(empty(i, after_).zero_());
      const int dim = shardedDim(step_.from).value();
      const auto runs = runsOf(step_.from, out.back().size(dim), coordinate(hosted()[i]));
      putRuns(out.back(), dim, runs, locals_[i]);
    }
    return out;
  }

  Buffers terms() const {
    Buffers out;
    for (std::size_t i = 0; i < locals_.size(); ++i) {
      const auto target = partialOp(step_.to).value();
      const auto term = termOf(locals_[i], target, ranks(), coordinate(hosted()[i]));
      out.push_back(term.is_same(locals_[i]) ? term.clone() : term);
    }
    return out;
  }

  Runtime& runtime_;
  const Spec& current_;
  const TransformInfo& step_;
  const Buffers& locals_;
  Spec after_;
};

}  // namespace

at::Tensor takeRuns(const at::Tensor& tensor, int dim, const Runs& runs) {
  if (runs.empty()) return tensor.narrow(dim, 0, 0);
  if (runs.size() == 1) return tensor.narrow(dim, runs.front().begin, runs.front().length);
  Buffers pieces;
  for (const auto& run : runs) pieces.push_back(tensor.narrow(dim, run.begin, run.length));
  return at::cat(pieces, dim);
}

Chunk ownedRows(const DeviceMesh& mesh, const Placements& placements, const MaskPartial& masked,
                int rank) {
  Placements cuts;
  for (const auto& placement : placements) {
    cuts.push_back(isMaskPartial(placement) ? Placement(Shard{masked.offsetDim})
                                            : Placement(Replicate{}));
  }
  const auto runs = ownedRuns(masked.offsetShape, mesh, cuts, rank);
  const auto& rows = runs[static_cast<std::size_t>(masked.offsetDim)];
  return rows.empty() ? Chunk{} : Chunk{rows.front().begin, rows.front().length};
}

at::Tensor termOf(const at::Tensor& whole, ReduceOp op, int ranks, int coordinate) {
  if (op != ReduceOp::Sum) return whole;
  if (at::isFloatingType(whole.scalar_type())) return whole / ranks;
  // Whole numbers do not divide: the first rank has them, so that dtype and sum are kept.
  return coordinate == 0 ? whole : at::zeros_like(whole);
}

Buffers transform(Runtime& runtime, const Spec& current, const TransformInfo& step,
                  const Buffers& locals) {
  return Step(runtime, current, step, locals).run();
}

}  // namespace shardlens
