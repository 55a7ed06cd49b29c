#include "core/tensor/distribute.h"

#include "core/model/shard_geometry.h"
#include "core/model/spec.h"
#include "core/tensor/dtype.h"
#include "core/tensor/pieces.h"
#include "core/tensor/refusal.h"
#include "core/tensor/runtime.h"
#include "core/tensor/sharded_tensor.h"
#include "core/tensor/terms.h"

#include <ATen/ATen.h>

namespace shardlens {
namespace {

void refuseMadeTerms(const Placements& placements) {
  for (const auto& placement : placements) {
    if (!isPartial(placement) || takesWhole(placement)) continue;
    throw Refusal("Replicate to " + toText(placement) + " conversion is not supported.");
  }
}

at::Tensor partOf(const at::Tensor& whole, const DeviceMesh& mesh, const Placements& placements,
                  int rank) {
  at::Tensor part = copyPiece(whole, ownedRuns(whole.sizes().vec(), mesh, placements, rank));
  for (int dim = 0; dim < mesh.ndim(); ++dim) {
    const auto& placement = placements[static_cast<std::size_t>(dim)];
    if (!isPartial(placement)) continue;
    part = termOf(part, placement, mesh.size(dim), mesh.coordinate(rank, dim));
  }
  return part;
}

// The whole that equal parts would make: what DTensor assumes where nothing is said.
Shape derivedShape(Shape shape, const DeviceMesh& mesh, const Placements& placements) {
  for (int dim = 0; dim < mesh.ndim(); ++dim) {
    const auto cut = shardedDim(placements[static_cast<std::size_t>(dim)]);
    if (cut) shape[static_cast<std::size_t>(*cut)] *= mesh.size(dim);
  }
  return shape;
}

}  // namespace

at::Tensor distribute(const std::shared_ptr<Runtime>& runtime, const at::Tensor& whole,
                      Placements placements) {
  const auto& mesh = runtime->mesh();
  placements =
      orRefuse(verifyPlacements(std::move(placements), *mesh, static_cast<int>(whole.dim())));
  refuseMadeTerms(placements);
  const auto shape = whole.sizes().vec();
  Buffers locals;
  for (const int rank : runtime->comm().hosted()) {
    locals.push_back(partOf(whole, *mesh, placements, rank));
  }
  TensorMeta meta{shape, contiguousStrides(shape), dtypeOf(whole.scalar_type())};
  return makeSharded(runtime, {mesh, std::move(placements), std::move(meta)}, std::move(locals));
}

at::Tensor fromLocals(const std::shared_ptr<Runtime>& runtime, const Buffers& locals,
                      Placements placements, const std::optional<Shape>& shape) {
  const auto& mesh = runtime->mesh();
  if (static_cast<int>(locals.size()) != mesh->size()) {
    throw Refusal("locals: got " + std::to_string(locals.size()) + ", expected one for each of " +
                  std::to_string(mesh->size()) + " ranks");
  }
  const auto ndim = locals.front().dim();
  placements = orRefuse(verifyPlacements(std::move(placements), *mesh, static_cast<int>(ndim)));
  const auto whole = shape ? *shape : derivedShape(locals.front().sizes().vec(), *mesh, placements);
  if (static_cast<std::int64_t>(whole.size()) != ndim) {
    throw Refusal("shape: got " + toText(whole) + ", expected " + std::to_string(ndim) +
                  " dimensions as the locals have");
  }
  for (const auto& local : locals) {
    if (local.scalar_type() != locals.front().scalar_type()) {
      throw Refusal("locals: got " + std::string(c10::toString(local.scalar_type())) + " and " +
                    c10::toString(locals.front().scalar_type()) + ", expected one dtype");
    }
  }
  Buffers hosted;
  for (const int rank : runtime->comm().hosted()) {
    hosted.push_back(locals[static_cast<std::size_t>(rank)]);
  }
  TensorMeta meta{whole, contiguousStrides(whole), dtypeOf(locals.front().scalar_type())};
  return makeSharded(runtime, {mesh, std::move(placements), std::move(meta)}, std::move(hosted));
}

}  // namespace shardlens
