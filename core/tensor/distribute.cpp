#include "core/tensor/distribute.h"

#include "core/base/refusal.h"
#include "core/comm/refuse_together.h"
#include "core/memory/dtypes.h"
#include "core/model/shard_geometry.h"
#include "core/model/spec.h"
#include "core/tensor/dtensor.h"
#include "core/tensor/runtime.h"
#include "core/tensor/values/partials.h"
#include "core/tensor/values/pieces.h"

#include <ATen/ATen.h>
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <numeric>

namespace shardlens {
namespace {

// Throws Refusal if a whole tensor of this dtype cannot be converted to one of the placements.
void refuseImpossiblePartials(const Placements& placements, DType dtype) {
  for (const auto& placement : placements) {
    if (std::holds_alternative<NormPartial>(placement) && !isFloating(dtype)) {
      throw Refusal("Replicate to " + toText(placement) + ": got " + std::string(dtypeName(dtype)) +
                    ", expected floating-point numbers");
    }
    const auto op = partialOp(placement);
    const bool isOrdered = op == ReduceOp::Min || op == ReduceOp::Max || op == ReduceOp::Product;
    if (isOrdered && isComplex(dtype)) {
      throw Refusal("Replicate to " + toText(placement) + ": got " + std::string(dtypeName(dtype)) +
                    ", expected a dtype that is not complex");
    }
    if (!isPartial(placement) || takesWhole(placement)) continue;
    throw Refusal("Replicate to " + toText(placement) + " conversion is not supported.");
  }
}

// Checks the storage layout only. Quantized tensors are refused by their dtype.
void refuseSparse(const at::Tensor& tensor) {
  if (tensor.layout() == at::kStrided) return;
  throw Refusal(
      "got a sparse tensor, expected a dense one: which elements it holds depends on "
      "values");
}

// Returns the global shape if all shards had this local shape, as DTensor assumes without a shape.
Shape derivedShape(Shape shape, const DeviceMesh& mesh, const Placements& placements) {
  for (int dim = 0; dim < mesh.ndim(); ++dim) {
    const auto cut = shardedDim(placements[static_cast<std::size_t>(dim)]);
    if (cut) shape[static_cast<std::size_t>(*cut)] *= mesh.size(dim);
  }
  return shape;
}

Spec specFor(const Runtime& runtime, const at::Tensor& whole, Placements placements) {
  refuseSparse(whole);
  const auto& mesh = runtime.mesh();
  placements =
      orRefuse(verifyPlacements(std::move(placements), *mesh, static_cast<int>(whole.dim())));
  const DType dtype = dtypeOf(whole.scalar_type());
  refuseImpossiblePartials(placements, dtype);
  const auto shape = whole.sizes().vec();
  return {mesh, std::move(placements), {shape, contiguousStrides(shape), dtype}};
}

// Returns the rank's coordinates along the mesh dimensions that shard the tensor.
std::vector<int> cutAt(const Spec& spec, int rank) {
  std::vector<int> coordinates;
  for (int dim = 0; dim < spec.mesh->ndim(); ++dim) {
    const bool cuts = shardedDim(spec.placements[static_cast<std::size_t>(dim)]).has_value();
    if (cuts) coordinates.push_back(spec.mesh->coordinate(rank, dim));
  }
  return coordinates;
}

// Returns the strides of the global tensor. A stride that spans a sharded dimension is multiplied
// by the size of the mesh dimension.
Shape derivedStrides(const Shape& strides, const DeviceMesh& mesh, const Placements& placements) {
  Shape derived = strides;
  for (int dim = 0; dim < mesh.ndim(); ++dim) {
    const auto cut = shardedDim(placements[static_cast<std::size_t>(dim)]);
    if (!cut) continue;
    const auto at = static_cast<std::size_t>(*cut);
    for (std::size_t i = 0; i < strides.size(); ++i) {
      if (i != at && strides[i] >= strides[at]) derived[i] *= mesh.size(dim);
    }
  }
  return derived;
}

// Returns the spec of the tensor with these locals. Throws Refusal if they differ in dtype, or if
// the shape or the strides have another number of dimensions.
Spec specOfLocals(const MeshPtr& mesh, const Buffers& locals, Placements placements,
                  const std::optional<Shape>& shape, const std::optional<Shape>& strides = {}) {
  const auto ndim = locals.front().dim();
  placements = orRefuse(verifyPlacements(std::move(placements), *mesh, static_cast<int>(ndim)));
  const auto whole = shape ? *shape : derivedShape(locals.front().sizes().vec(), *mesh, placements);
  if (strides && strides->size() != whole.size()) {
    throw Refusal(fmt::format("stride: got {}, expected one for each dimension of {}",
                              toText(*strides), toText(whole)));
  }
  if (static_cast<std::int64_t>(whole.size()) != ndim) {
    throw Refusal(fmt::format("shape: got {}, expected {} dimensions as the locals have",
                              toText(whole), ndim));
  }
  for (const auto& local : locals) {
    refuseSparse(local);
    if (local.scalar_type() != locals.front().scalar_type()) {
      throw Refusal("locals: got " + std::string(c10::toString(local.scalar_type())) + " and " +
                    c10::toString(locals.front().scalar_type()) + ", expected one dtype");
    }
  }
  auto apart = strides ? *strides
               : shape ? contiguousStrides(whole)
                       : derivedStrides(locals.front().strides().vec(), *mesh, placements);
  TensorMeta meta{whole, std::move(apart), dtypeOf(locals.front().scalar_type())};
  return {mesh, std::move(placements), std::move(meta)};
}

// Returns true if the process that hosts the source rank has data for `whole`. The same in all
// processes. Collective.
bool sourceHasData(Communicator& comm, int source, const at::Tensor& whole) {
  const auto& hosted = comm.hosted();
  const bool hasData = std::count(hosted.begin(), hosted.end(), source) > 0 && !whole.is_meta();
  return isTrueAnywhere(comm, hasData);
}

// Moves a tensor to the device. A meta tensor stays as it is.
at::Tensor onDevice(const at::Tensor& tensor, c10::Device device) {
  return tensor.is_meta() ? tensor : tensor.to(device);
}

}  // namespace

at::Tensor distribute(const std::shared_ptr<Runtime>& runtime, const at::Tensor& whole,
                      Placements placements) {
  Spec spec = specFor(*runtime, whole, std::move(placements));
  Buffers locals;
  if (whole.is_meta()) {
    for (const int rank : runtime->comm().hosted()) {
      locals.push_back(at::empty(localShape(spec.meta.shape, *spec.mesh, spec.placements, rank),
                                 whole.options()));
    }
    return makeSharded(runtime, std::move(spec), std::move(locals));
  }
  // Ranks on one device with the same coordinates share one copy until one of them writes.
  std::map<std::pair<at::DeviceIndex, std::vector<int>>, at::Tensor> parts;
  for (const int rank : runtime->comm().hosted()) {
    const auto device = runtime->comm().device(rank);
    auto& part = parts[{device.index(), cutAt(spec, rank)}];
    if (part.defined()) {
      locals.push_back(heldOf(at::_lazy_clone(part), *spec.mesh, spec.placements, rank));
      continue;
    }
    const Piece owned(ownedRuns(spec.meta.shape, *spec.mesh, spec.placements, rank));
    part = copyPiece(whole, owned).to(device);
    locals.push_back(heldOf(part, *spec.mesh, spec.placements, rank));
  }
  return makeSharded(runtime, std::move(spec), std::move(locals));
}

at::Tensor distributeFrom(const std::shared_ptr<Runtime>& runtime, int source,
                          const at::Tensor& whole, Placements placements) {
  Spec spec = specFor(*runtime, whole, std::move(placements));
  const DeviceMesh& mesh = *spec.mesh;
  if (!mesh.has(source)) {
    throw Refusal(fmt::format("source: got {}, expected a rank of the mesh", source));
  }
  if (mesh.size() == 1) return distribute(runtime, whole, std::move(spec.placements));
  if (runtime->comm().deviceType() != at::kMeta && !sourceHasData(runtime->comm(), source, whole)) {
    return distribute(runtime, whole.to(at::kMeta), std::move(spec.placements));
  }
  std::vector<int> everyDim(static_cast<std::size_t>(mesh.ndim()));
  std::iota(everyDim.begin(), everyDim.end(), 0);
  const GroupSet& groups = runtime->groups(everyDim).set();
  const auto& ranks = groups.groups.front();
  const auto root = static_cast<int>(std::find(ranks.begin(), ranks.end(), source) - ranks.begin());
  const bool cut = std::any_of(spec.placements.begin(), spec.placements.end(),
                               [](const auto& p) { return shardedDim(p).has_value(); });
  Buffers locals, sent;
  BufferLists pieces;
  for (const int rank : runtime->comm().hosted()) {
    const auto device = runtime->comm().device(rank);
    locals.push_back(at::empty(localShape(spec.meta.shape, mesh, spec.placements, rank),
                               whole.options().device(device)));
    sent.push_back(rank == source ? whole.to(device) : locals.back());
    auto& list = pieces.emplace_back();
    if (!cut || rank != source) continue;
    for (const int member : ranks) {
      list.push_back(
          takePiece(sent.back(), Piece(ownedRuns(spec.meta.shape, mesh, spec.placements, member))));
    }
  }
  if (cut) {
    runtime->comm().scatter(groups, root, pieces, locals);
  } else {
    runtime->comm().broadcast(groups, root, sent, locals);
  }
  for (std::size_t i = 0; i < locals.size(); ++i) {
    locals[i] = heldOf(locals[i], mesh, spec.placements, runtime->comm().hosted()[i]);
  }
  return makeSharded(runtime, std::move(spec), std::move(locals));
}

at::Tensor fromLocals(const std::shared_ptr<Runtime>& runtime, const Buffers& locals,
                      Placements placements, const std::optional<Shape>& shape) {
  const auto& mesh = runtime->mesh();
  if (static_cast<int>(locals.size()) != mesh->size()) {
    throw Refusal(fmt::format("locals: got {}, expected one for each of {} ranks", locals.size(),
                              mesh->size()));
  }
  const Spec spec = specOfLocals(mesh, locals, std::move(placements), shape);
  const auto ranks = mesh->ranks();
  const auto& hosted = runtime->comm().hosted();
  Buffers kept(hosted.size());
  for (std::size_t place = 0; place < ranks.size(); ++place) {
    // Checks the locals of all ranks, hosted or not, so that all processes throw or none.
    refuseOtherShape(spec, ranks[place], locals[place]);
    const auto at = std::lower_bound(hosted.begin(), hosted.end(), ranks[place]);
    if (at != hosted.end() && *at == ranks[place]) {
      kept[static_cast<std::size_t>(at - hosted.begin())] =
          onDevice(locals[place], runtime->comm().device(ranks[place]));
    }
  }
  return makeSharded(runtime, spec, std::move(kept));
}

at::Tensor fromHostedLocals(const std::shared_ptr<Runtime>& runtime, Buffers locals,
                            Placements placements, const std::optional<Shape>& shape,
                            const std::optional<Shape>& strides) {
  const auto& hosted = runtime->comm().hosted();
  if (locals.size() != std::max<std::size_t>(hosted.size(), 1)) {
    throw Refusal(fmt::format("locals: got {}, expected one for each of {} ranks", locals.size(),
                              hosted.size()));
  }
  Spec spec = specOfLocals(runtime->mesh(), locals, std::move(placements), shape, strides);
  locals.resize(hosted.size());
  for (std::size_t i = 0; i < hosted.size(); ++i) {
    refuseOtherShape(spec, hosted[i], locals[i]);
    locals[i] = onDevice(locals[i], runtime->comm().device(hosted[i]));
  }
  return makeSharded(runtime, std::move(spec), std::move(locals));
}

Buffers toLocals(const at::Tensor& tensor) {
  const auto& impl = dtensorImpl(tensor);
  if (impl.pending() != nullptr && !impl.areMaskedIds()) {
    impl.pending()->apply(impl.locals(), impl.record());
  }
  return impl.locals();
}

}  // namespace shardlens
