#include "core/tensor/transform.h"

#include "core/base/check.h"
#include "core/tensor/runtime.h"

#include <ATen/ATen.h>

namespace shardlens {
namespace {

// One step of a plan on the hosted ranks, its four collectives and its local changes.
class Step {
 public:
  Step(Runtime& runtime, const Spec& current, const TransformInfo& step, const Buffers& locals)
      : runtime_(runtime), current_(current), step_(step), locals_(locals), after_(current) {
    after_.placements[static_cast<std::size_t>(step.meshDim)] = step.to;
  }

  Buffers run() const {
    if (isPartial(step_.from) && isPartial(step_.to)) return locals_;
    const auto from = shardedDim(step_.from);
    const auto to = shardedDim(step_.to);
    if (from && to) return exchange(*from, *to);
    if (from && isPartial(step_.to)) return pad(*from);
    if (from) return gather(*from);
    if (isPartial(step_.from) && to) return reduceToShard(*to);
    if (isPartial(step_.from)) return reduce();
    if (to) return cut(*to);
    return terms();
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

  // A view for each member of the group: the members' pieces stand one after another along dim.
  Buffers pieces(const at::Tensor& tensor, int dim) const {
    Buffers views;
    for (int part = 0; part < ranks(); ++part) {
      const Chunk chunk = chunkOf(tensor.size(dim), ranks(), part);
      views.push_back(tensor.narrow(dim, chunk.begin, chunk.length));
    }
    return views;
  }

  Buffers gather(int dim) const {
    if (ranks() == 1) return locals_;
    Buffers out;
    BufferLists into;
    for (std::size_t i = 0; i < locals_.size(); ++i) {
      out.push_back(empty(i, after_));
      into.push_back(pieces(out.back(), dim));
    }
    runtime_.comm().allGather(groups(), locals_, into);
    return out;
  }

  Buffers exchange(int from, int to) const {
    if (ranks() == 1) return locals_;
    Buffers out;
    BufferLists inputs, into;
    for (std::size_t i = 0; i < locals_.size(); ++i) {
      out.push_back(empty(i, after_));
      inputs.push_back(pieces(locals_[i], to));
      into.push_back(pieces(out.back(), from));
    }
    runtime_.comm().allToAll(groups(), inputs, into);
    return out;
  }

  Buffers reduceToShard(int dim) const {
    if (ranks() == 1) return locals_;
    Buffers out;
    BufferLists inputs;
    for (std::size_t i = 0; i < locals_.size(); ++i) {
      inputs.push_back(pieces(locals_[i], dim));
      out.push_back(empty(i, after_));
    }
    runtime_.comm().reduceScatter(groups(), inputs, out, op());
    return out;
  }

  Buffers reduce() const {
    if (ranks() == 1) return locals_;
    Buffers out;
    for (const auto& local : locals_) out.push_back(local.clone(at::MemoryFormat::Contiguous));
    runtime_.comm().allReduce(groups(), out, op());
    return out;
  }

  Buffers cut(int dim) const {
    Buffers out;
    for (std::size_t i = 0; i < locals_.size(); ++i) {
      const auto views = pieces(locals_[i], dim);
      out.push_back(views[static_cast<std::size_t>(coordinate(hosted()[i]))].clone(
          at::MemoryFormat::Contiguous));
    }
    return out;
  }

  // Each rank's shard in its place, zeros elsewhere: the terms of a sum.
  Buffers pad(int dim) const {
    Buffers out;
    for (std::size_t i = 0; i < locals_.size(); ++i) {
      out.push_back(empty(i, after_).zero_());
      pieces(out.back(), dim)[static_cast<std::size_t>(coordinate(hosted()[i]))].copy_(locals_[i]);
    }
    return out;
  }

  Buffers terms() const {
    Buffers out;
    for (std::size_t i = 0; i < locals_.size(); ++i) {
      const auto target = partialOp(step_.to).value();
      out.push_back(termOf(locals_[i], target, ranks(), coordinate(hosted()[i])));
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
