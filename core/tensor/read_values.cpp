#include "core/tensor/read_values.h"

#include "core/base/check.h"
#include "core/memory/copy.h"
#include "core/model/shard_geometry.h"
#include "core/tensor/dtensor.h"
#include "core/tensor/runtime.h"
#include "core/tensor/values/partials.h"
#include "core/tensor/values/pieces.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace shardlens {
namespace {

// Replaces the partial values of each group along the mesh dimension by their reduction.
void reduceAlong(int meshDim, const DTensorImpl& impl, Buffers& parts) {
  const PartialArithmetic arithmetic(impl.spec().placements[static_cast<std::size_t>(meshDim)]);
  const auto& hosted = impl.runtime().comm().hosted();
  const auto partOf = [&](int rank) -> at::Tensor& {
    const auto place = std::lower_bound(hosted.begin(), hosted.end(), rank);
    return parts[static_cast<std::size_t>(place - hosted.begin())];
  };
  const MeshGroups groups(*impl.spec().mesh, {meshDim});
  for (const auto& group : groups.set().groups) {
    Buffers partials;
    for (const int rank : group) partials.push_back(arithmetic.beforeReducing(partOf(rank)));
    const auto value = at::empty(partials.front().sizes(), partials.front().options());
    reduceInto(value, partials, arithmetic.reduction());
    arithmetic.afterReducing(value);
    for (const int rank : group) partOf(rank) = value;
  }
}

}  // namespace

Buffers readValues(const at::Tensor& tensor) {
  const auto& impl = dtensorImpl(tensor);
  const auto& [mesh, placements, meta] = impl.spec();
  SL_CHECK(static_cast<int>(impl.runtime().comm().hosted().size()) == mesh->size(),
           "all ranks of the mesh are here");
  if (impl.areMaskedIds()) return impl.unmasked();
  Buffers parts = impl.readLocals();
  if (impl.pending() != nullptr) parts = impl.pending()->masked(parts);
  // Reduces from the last mesh dimension to the first, as partial placements nest from left to
  // right.
  for (int dim = mesh->ndim(); dim-- > 0;) {
    if (isPartial(placements[static_cast<std::size_t>(dim)])) reduceAlong(dim, impl, parts);
  }
  return parts;
}

at::Tensor readWhole(const at::Tensor& tensor) {
  const auto& impl = dtensorImpl(tensor);
  const auto& [mesh, placements, meta] = impl.spec();
  const auto parts = readValues(tensor);
  const auto& hosted = impl.runtime().comm().hosted();
  const auto whole = at::empty(meta.shape, parts.front().options());
  for (std::size_t i = parts.size(); i-- > 0;) {
    const Piece piece(ownedRuns(meta.shape, *mesh, placements, hosted[i]));
    const auto place = placeFor(whole, piece);
    copyInto(place, parts[i]);
    putPiece(whole, piece, place);
  }
  return whole;
}

}  // namespace shardlens
