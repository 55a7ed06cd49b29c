#include "core/tensor/layout/loss_layout.h"

namespace shardlens {
namespace {

// Returns the shard placement moved to another tensor dimension.
Placement along(Placement cut, int dim) {
  if (auto* plain = std::get_if<Shard>(&cut)) plain->dim = dim;
  if (auto* strided = std::get_if<StridedShard>(&cut)) strided->dim = dim;
  return cut;
}

}  // namespace

Shape withoutClasses(Shape logits) {
  logits.erase(logits.begin() + classDimOf(static_cast<std::int64_t>(logits.size())));
  return logits;
}

LossLayout::LossLayout(const Spec& spec)
    : logits(spec.placements),
      rows(logits.size(), Replicate{}),
      reduced(logits.size(), Replicate{}) {
  const auto classDim = static_cast<int>(classDimOf(spec.meta.ndim()));
  for (std::size_t i = 0; i < logits.size(); ++i) {
    const int meshDim = static_cast<int>(i);
    const bool isCut = spec.mesh->size(meshDim) > 1;
    const auto dim = shardedDim(logits[i]);
    if (!dim) {
      logits[i] = Replicate{};
    } else if (*dim == classDim) {
      if (isCut) cutClasses.push_back(meshDim);
    } else {
      rows[i] = along(logits[i], *dim - (*dim > classDim ? 1 : 0));
      reduced[i] = Partial{};
      if (isCut) cutRows.push_back(meshDim);
    }
  }
}

}  // namespace shardlens
