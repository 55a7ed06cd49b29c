#include "core/tensor/transform.h"

#include "core/base/check.h"
#include "core/comm/copy.h"
#include "core/tensor/buffer_pool.h"
#include "core/tensor/pieces.h"
#include "core/tensor/runtime.h"
#include "core/tensor/terms.h"

#include <ATen/ATen.h>

#include <unordered_map>

namespace shardlens {
namespace {

Block within(const Block& part, const Block& whole) {
  Block block;
  block.reserve(part.size());
  for (std::size_t dim = 0; dim < part.size(); ++dim) {
    block.push_back(runsWithin(part[dim], whole[dim]));
  }
  return block;
}

Block common(const Block& a, const Block& b) {
  Block block;
  block.reserve(a.size());
  for (std::size_t dim = 0; dim < a.size(); ++dim) block.push_back(commonRuns(a[dim], b[dim]));
  return block;
}

// What ranks own under some placements, worked out once for each that is asked for.
class Ownership {
 public:
  Ownership(const TensorMeta& meta, const DeviceMesh& mesh, const Placements& placements)
      : meta_(meta), mesh_(mesh), placements_(placements) {}

  const Block& of(int rank) {
    auto [it, isNew] = blocks_.try_emplace(rank);
    if (isNew) it->second = ownedRuns(meta_.shape, mesh_, placements_, rank);
    return it->second;
  }

 private:
  const TensorMeta& meta_;
  const DeviceMesh& mesh_;
  const Placements& placements_;
  std::unordered_map<int, Block> blocks_;
};

class Step {
 public:
  Step(Runtime& runtime, const TensorMeta& meta, const TransformInfo& step, const Buffers& locals)
      : mesh_(*runtime.mesh()),
        comm_(runtime.comm()),
        groups_(runtime.groups(step.meshDims)),
        step_(step),
        locals_(locals),
        before_(meta, mesh_, step.from),
        after_(meta, mesh_, step.to) {}

  Buffers run() {
    switch (step_.move) {
      case Move::Relabel:
        return locals_;
      case Move::Cut:
        return cut();
      case Move::Pad:
        return pad();
      case Move::Terms:
        return terms();
      case Move::AllReduce:
        return reduce();
      case Move::ReduceScatter:
        return reduceToShard();
      case Move::AllGather:
        return gather();
      case Move::AllToAll:
        return exchange();
    }
    SL_CHECK(false, "a move");
    return {};
  }

 private:
  // The placement that the step changes; of several that it merges, they are alike.
  const Placement& from() const { return changed(step_.from); }
  const Placement& to() const { return changed(step_.to); }
  const Placement& changed(const Placements& placements) const {
    return placements[static_cast<std::size_t>(step_.meshDims.front())];
  }
  int rank(std::size_t i) const { return comm_.hosted()[i]; }
  const std::vector<int>& groupOf(std::size_t i) const { return groups_.groupOf(rank(i)); }
  // A group of one has nothing to send.
  bool alone() const { return groups_.groupSize() == 1; }

  at::Tensor empty(std::size_t i) {
    Shape shape;
    for (const auto& runs : after_.of(rank(i))) shape.push_back(totalLength(runs));
    return emptyBuffer(shape, locals_[i].options());
  }

  Buffers gather() {
    if (alone()) return locals_;
    Buffers out;
    BufferLists into;
    std::vector<std::vector<Block>> places;
    for (std::size_t i = 0; i < locals_.size(); ++i) {
      out.push_back(empty(i));
      auto& list = into.emplace_back();
      auto& blocks = places.emplace_back();
      for (const int member : groupOf(i)) {
        blocks.push_back(within(before_.of(member), after_.of(rank(i))));
        list.push_back(placeFor(out[i], blocks.back()));
      }
    }
    comm_.allGather(groups_.set(), locals_, into);
    settle(out, places, into);
    return out;
  }

  Buffers exchange() {
    if (alone()) return locals_;
    Buffers out;
    BufferLists inputs, into;
    std::vector<std::vector<Block>> places;
    for (std::size_t i = 0; i < locals_.size(); ++i) {
      out.push_back(empty(i));
      auto& sent = inputs.emplace_back();
      auto& received = into.emplace_back();
      auto& blocks = places.emplace_back();
      const Block& had = before_.of(rank(i));
      const Block& gets = after_.of(rank(i));
      for (const int member : groupOf(i)) {
        sent.push_back(takePiece(locals_[i], within(common(had, after_.of(member)), had)));
        blocks.push_back(within(common(before_.of(member), gets), gets));
        received.push_back(placeFor(out[i], blocks.back()));
      }
    }
    comm_.allToAll(groups_.set(), inputs, into);
    settle(out, places, into);
    return out;
  }

  static void settle(const Buffers& out, const std::vector<std::vector<Block>>& places,
                     const BufferLists& received) {
    for (std::size_t i = 0; i < out.size(); ++i) {
      for (std::size_t j = 0; j < places[i].size(); ++j) {
        putPiece(out[i], places[i][j], received[i][j]);
      }
    }
  }

  Buffers reduce() {
    const TermArithmetic arithmetic(from());
    if (alone()) return valuesOf(arithmetic);
    Buffers inputs, out;
    for (std::size_t i = 0; i < locals_.size(); ++i) {
      inputs.push_back(arithmetic.beforeReducing(locals_[i]));
      out.push_back(empty(i));
    }
    comm_.allReduce(groups_.set(), inputs, out, arithmetic.reduction());
    for (const auto& value : out) arithmetic.afterReducing(value);
    return out;
  }

  Buffers reduceToShard() {
    const TermArithmetic arithmetic(from());
    if (alone()) return valuesOf(arithmetic);
    Buffers out;
    BufferLists inputs;
    for (std::size_t i = 0; i < locals_.size(); ++i) {
      const auto term = arithmetic.beforeReducing(locals_[i]);
      auto& sent = inputs.emplace_back();
      for (const int member : groupOf(i)) {
        sent.push_back(takePiece(term, within(after_.of(member), before_.of(rank(i)))));
      }
      out.push_back(empty(i));
    }
    comm_.reduceScatter(groups_.set(), inputs, out, arithmetic.reduction());
    for (const auto& value : out) arithmetic.afterReducing(value);
    return out;
  }

  // A single term is the value, but for a factor or a power.
  Buffers valuesOf(const TermArithmetic& arithmetic) {
    if (arithmetic.keepsSingleTerms()) return locals_;
    Buffers out;
    for (std::size_t i = 0; i < locals_.size(); ++i) {
      out.push_back(empty(i));
      reduceInto(out[i], {arithmetic.beforeReducing(locals_[i])}, arithmetic.reduction());
      arithmetic.afterReducing(out[i]);
    }
    return out;
  }

  Buffers cut() {
    Buffers out;
    for (std::size_t i = 0; i < locals_.size(); ++i) {
      out.push_back(copyPiece(locals_[i], within(after_.of(rank(i)), before_.of(rank(i)))));
    }
    return out;
  }

  // Each rank's shard in its place, zeros elsewhere: the terms of a sum.
  Buffers pad() {
    Buffers out;
    for (std::size_t i = 0; i < locals_.size(); ++i) {
      out.push_back(empty(i).zero_());
      const Block block = within(before_.of(rank(i)), after_.of(rank(i)));
      const auto place = placeFor(out[i], block);
      copyInto(place, locals_[i]);
      putPiece(out[i], block, place);
    }
    return out;
  }

  Buffers terms() {
    const int dim = step_.meshDims.front();
    Buffers out;
    for (std::size_t i = 0; i < locals_.size(); ++i) {
      const auto term = termOf(locals_[i], to(), mesh_.size(dim), mesh_.coordinate(rank(i), dim));
      out.push_back(term.is_same(locals_[i]) ? term.clone() : term);
    }
    return out;
  }

  const DeviceMesh& mesh_;
  Communicator& comm_;
  const MeshGroups& groups_;
  const TransformInfo& step_;
  const Buffers& locals_;
  Ownership before_;
  Ownership after_;
};

}  // namespace

Buffers transform(Runtime& runtime, const TensorMeta& meta, const TransformInfo& step,
                  const Buffers& locals) {
  return Step(runtime, meta, step, locals).run();
}

}  // namespace shardlens
