#include "core/tensor/redistribute/transform.h"

#include "core/base/check.h"
#include "core/memory/buffer_pool.h"
#include "core/memory/copy.h"
#include "core/tensor/runtime.h"
#include "core/tensor/values/partials.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace shardlens {
namespace {

class Step {
 public:
  Step(Runtime& runtime, const TransformInfo& step, const StepGeometry& geometry,
       const Buffers& locals, Pace pace)
      : mesh_(*runtime.mesh()),
        comm_(runtime.comm()),
        groups_(runtime.groups(step.meshDims)),
        step_(step),
        geometry_(geometry),
        locals_(locals),
        pace_(pace) {}

  Moved run() {
    auto moved = locals();
    return {std::move(moved), runningCollective_};
  }

 private:
  Buffers locals() {
    switch (step_.move) {
      case Move::Relabel:
        return locals_;
      case Move::Slice:
        return cut();
      case Move::Pad:
        return pad();
      case Move::MakePartial:
        return partials();
      case Move::AllReduce:
        return reduce();
      case Move::ReduceScatter:
        return reduceToShard();
      case Move::AllGather:
        return gather();
      case Move::AllToAll:
        return exchange();
      case Move::AllGatherRows:
      case Move::AllToAllRows:
        break;  // see OwnedRows::moved()
    }
    SL_CHECK(false, "a move of partial values or shards");
    return {};
  }

  // The placement that the step changes. Steps that merge several mesh dimensions change equal
  // placements, or a mix of Partial(sum) and Partial(avg).
  const Placement& from() const { return changed(step_.from); }
  const Placement& to() const { return changed(step_.to); }
  const Placement& changed(const Placements& placements) const {
    return placements[static_cast<std::size_t>(step_.meshDims.front())];
  }
  PartialArithmetic arithmetic() const {
    bool mixed = false;
    int averaged = 1;
    for (const int dim : step_.meshDims) {
      const auto& partial = step_.from[static_cast<std::size_t>(dim)];
      mixed = mixed || partial != from();
      if (partialOp(partial) == ReduceOp::Avg) averaged *= mesh_.size(dim);
    }
    return mixed ? PartialArithmetic::ofSumsAndAverages(averaged) : PartialArithmetic(from());
  }
  // A group of one rank sends nothing.
  bool alone() const { return groups_.groupSize() == 1; }

  at::Tensor empty(std::size_t i) const {
    return emptyBuffer(geometry_.results[i], locals_[i].options());
  }

  Buffers empties() const {
    Buffers out;
    out.reserve(locals_.size());
    for (std::size_t i = 0; i < locals_.size(); ++i) out.push_back(empty(i));
    return out;
  }

  // Called right before the collective.
  void makeAsync() {
    if (pace_ == Pace::Async) runningCollective_ = comm_.makeNextAsync();
  }
  // Called before the outputs of the collective are used.
  void wait() {
    if (runningCollective_ != 0) comm_.wait(std::exchange(runningCollective_, 0));
  }

  // Note [Replicas]
  // All members of a group receive the same. Members on one device of this process receive it once
  // and share the memory. When one of them writes, libtorch gives it a separate copy.

  // Returns per hosted rank the first rank of its group on its device, possibly itself.
  std::vector<std::size_t> firsts() const {
    const auto& hosted = comm_.hosted();
    std::vector<std::size_t> ofGroup(groups_.set().groups.size(), hosted.size());
    std::vector<std::size_t> all(hosted.size());
    for (std::size_t i = 0; i < hosted.size(); ++i) {
      auto& first = ofGroup[groups_.numberOf(hosted[i])];
      if (first == hosted.size() || locals_[first].device() != locals_[i].device()) first = i;
      all[i] = first;
    }
    return all;
  }

  // Returns per hosted rank the buffer that it shares with its group.
  Buffers sharedEmpties(const std::vector<std::size_t>& first) const {
    Buffers out;
    for (std::size_t i = 0; i < locals_.size(); ++i) {
      out.push_back(first[i] == i ? empty(i) : out[first[i]]);
    }
    return out;
  }

  static Buffers replicas(Buffers shared, const std::vector<std::size_t>& first) {
    for (std::size_t i = 0; i < shared.size(); ++i) {
      if (first[i] != i) shared[i] = at::_lazy_clone(shared[first[i]]);
    }
    return shared;
  }

  // Returns the pieces that each rank sends to each member of its group.
  BufferLists parts(const Buffers& from) const {
    BufferLists lists(from.size());
    for (std::size_t i = 0; i < from.size(); ++i) {
      for (const auto& piece : geometry_.leaving[i]) lists[i].push_back(takePiece(from[i], piece));
    }
    return lists;
  }

  // Returns the buffers that receive the pieces.
  BufferLists places(const Buffers& out, const std::vector<std::size_t>& first) const {
    BufferLists lists(out.size());
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (first[i] != i) {
        lists[i] = lists[first[i]];
        continue;
      }
      for (const auto& piece : geometry_.arriving[i]) lists[i].push_back(placeFor(out[i], piece));
    }
    return lists;
  }

  // Copies received pieces that were not received in place. A shared buffer is filled once.
  void settle(const Buffers& out, const BufferLists& received,
              const std::vector<std::size_t>& first) {
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (first[i] != i) continue;
      for (std::size_t j = 0; j < received[i].size(); ++j) {
        const Piece& piece = geometry_.arriving[i][j];
        if (isPlaced(piece)) continue;
        wait();
        putPiece(out[i], piece, received[i][j]);
      }
    }
  }

  Buffers gather() {
    if (alone()) return locals_;
    const auto first = firsts();
    const Buffers out = sharedEmpties(first);
    const BufferLists into = places(out, first);
    makeAsync();
    comm_.allGather(groups_.set(), locals_, into);
    settle(out, into, first);
    return replicas(out, first);
  }

  Buffers exchange() {
    if (alone()) return locals_;
    const Buffers out = empties();
    std::vector<std::size_t> itself(out.size());
    std::iota(itself.begin(), itself.end(), 0);
    const BufferLists into = places(out, itself);
    const BufferLists sent = parts(locals_);
    makeAsync();
    comm_.allToAll(groups_.set(), sent, into);
    settle(out, into, itself);
    return out;
  }

  Buffers ready(const PartialArithmetic& arithmetic) const {
    Buffers partials;
    for (const auto& local : locals_) partials.push_back(arithmetic.beforeReducing(local));
    return partials;
  }

  Buffers reduce() {
    const PartialArithmetic arithmetic = this->arithmetic();
    if (alone()) return valuesOf(arithmetic);
    const auto first = firsts();
    const Buffers out = sharedEmpties(first);
    const Buffers partials = ready(arithmetic);
    makeAsync();
    comm_.allReduce(groups_.set(), partials, out, arithmetic.reduction());
    if (!arithmetic.leavesResult()) wait();
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (first[i] == i) arithmetic.afterReducing(out[i]);
    }
    return replicas(out, first);
  }

  Buffers reduceToShard() {
    const PartialArithmetic arithmetic = this->arithmetic();
    if (alone()) return valuesOf(arithmetic);
    const Buffers out = empties();
    const BufferLists sent = parts(ready(arithmetic));
    makeAsync();
    comm_.reduceScatter(groups_.set(), sent, out, arithmetic.reduction());
    if (!arithmetic.leavesResult()) wait();
    for (const auto& value : out) arithmetic.afterReducing(value);
    return out;
  }

  // A single partial value is the value, except for a factor or a power.
  Buffers valuesOf(const PartialArithmetic& arithmetic) const {
    if (arithmetic.keepsSinglePartials()) return locals_;
    Buffers out;
    for (std::size_t i = 0; i < locals_.size(); ++i) {
      out.push_back(empty(i));
      reduceInto(out[i], {arithmetic.beforeReducing(locals_[i])}, arithmetic.reduction());
      arithmetic.afterReducing(out[i]);
    }
    return out;
  }

  Buffers cut() const {
    Buffers out;
    for (std::size_t i = 0; i < locals_.size(); ++i) {
      out.push_back(copyPiece(locals_[i], geometry_.leaving[i].front()));
    }
    return out;
  }

  // Places each rank's shard among zeros, as a partial value of a sum.
  Buffers pad() const {
    Buffers out;
    for (std::size_t i = 0; i < locals_.size(); ++i) {
      out.push_back(empty(i).zero_());
      const Piece& piece = geometry_.arriving[i].front();
      const auto place = placeFor(out[i], piece);
      copyInto(place, locals_[i]);
      putPiece(out[i], piece, place);
    }
    return out;
  }

  Buffers partials() const {
    const int dim = step_.meshDims.front();
    Buffers out;
    for (std::size_t i = 0; i < locals_.size(); ++i) {
      const auto partial = partialValueOf(locals_[i], to(), mesh_.size(dim),
                                          mesh_.coordinate(comm_.hosted()[i], dim));
      out.push_back(partial.is_same(locals_[i]) ? partial.clone() : partial);
    }
    return out;
  }

  const DeviceMesh& mesh_;
  Communicator& comm_;
  const MeshGroups& groups_;
  const TransformInfo& step_;
  const StepGeometry& geometry_;
  const Buffers& locals_;
  Pace pace_;
  std::uint64_t runningCollective_ = 0;
};

}  // namespace

Moved transform(Runtime& runtime, const TransformInfo& step, const StepGeometry& geometry,
                const Buffers& locals, Pace pace) {
  return Step(runtime, step, geometry, locals, pace).run();
}

}  // namespace shardlens
