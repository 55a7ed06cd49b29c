#include "core/tensor/layout/step_geometry.h"

#include <unordered_map>

namespace shardlens {
namespace {

// Returns the position of `part` inside `whole`, in local indices of `whole`.
Block within(const Block& part, const Block& whole) {
  Block block;
  block.reserve(part.size());
  for (std::size_t dim = 0; dim < part.size(); ++dim) {
    block.push_back(runsWithin(part[dim], whole[dim]));
  }
  return block;
}

// Returns the intersection, in global indices.
Block common(const Block& a, const Block& b) {
  Block block;
  block.reserve(a.size());
  for (std::size_t dim = 0; dim < a.size(); ++dim) block.push_back(commonRuns(a[dim], b[dim]));
  return block;
}

// Caches the elements that each rank owns under some placements.
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

}  // namespace

StepGeometry::StepGeometry(const TensorMeta& meta, const DeviceMesh& mesh,
                           const TransformInfo& step, const MeshGroups& groups,
                           const std::vector<int>& hosted) {
  Ownership before(meta, mesh, step.from);
  Ownership after(meta, mesh, step.to);
  for (const int rank : hosted) {
    const Block& has = before.of(rank);
    const Block& gets = after.of(rank);
    results.push_back(Piece(gets).shape);
    auto& sent = leaving.emplace_back();
    auto& received = arriving.emplace_back();
    if (step.move == Move::Slice) sent.emplace_back(within(gets, has));
    if (step.move == Move::Pad) received.emplace_back(within(has, gets));
    for (const int member : groups.groupOf(rank)) {
      if (step.move == Move::AllGather) {
        received.emplace_back(within(before.of(member), gets));
      } else if (step.move == Move::ReduceScatter || step.move == Move::AllToAllRows) {
        sent.emplace_back(within(after.of(member), has));
      } else if (step.move == Move::AllToAll) {
        sent.emplace_back(within(common(has, after.of(member)), has));
        received.emplace_back(within(common(before.of(member), gets), gets));
      }
    }
  }
}

}  // namespace shardlens
