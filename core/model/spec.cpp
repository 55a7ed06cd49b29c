#include "core/model/spec.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>

namespace shardlens {

std::int64_t elementCount(const Shape& shape) {
  std::int64_t n = 1;
  for (const auto size : shape) n *= size;
  return n;
}

Shape coordinates(const Shape& shape, std::int64_t element) {
  Shape at(shape.size());
  for (std::size_t dim = shape.size(); dim-- > 0;) {
    const auto size = std::max<std::int64_t>(shape[dim], 1);
    at[dim] = element % size;
    element /= size;
  }
  return at;
}

Shape contiguousStrides(const Shape& shape) {
  Shape strides(shape.size(), 1);
  for (std::size_t i = shape.size(); i-- > 1;) {
    strides[i - 1] = strides[i] * std::max<std::int64_t>(shape[i], 1);
  }
  return strides;
}

Shape stridesInOrder(const Shape& shape, const Shape& like) {
  std::vector<std::size_t> inner(shape.size());
  std::iota(inner.rbegin(), inner.rend(), 0);
  std::stable_sort(inner.begin(), inner.end(),
                   [&](std::size_t a, std::size_t b) { return like[a] < like[b]; });
  Shape strides(shape.size());
  std::int64_t next = 1;
  for (const auto dim : inner) {
    strides[dim] = next;
    next *= std::max<std::int64_t>(shape[dim], 1);
  }
  return strides;
}

std::string toText(const Spec& spec) {
  return std::string(dtypeShortName(spec.meta.dtype)) + toText(spec.meta.shape) +
         toText(spec.placements);
}

namespace {

Result<void> verifyDim(int& dim, const Placement& placement, int ndim) {
  if (ndim == 0) {
    return fail("placement " + toText(placement) +
                " on a tensor without dimensions: expected no shard");
  }
  if (dim < -ndim || dim >= ndim) {
    return fail(
        fmt::format("placement {} on a tensor of {} dimensions: expected a dimension from {} to {}",
                    toText(placement), ndim, -ndim, ndim - 1));
  }
  if (dim < 0) dim += ndim;
  return {};
}

Result<void> verifyMask(const MaskPartial& masked) {
  if (masked.offsetShape.empty()) return fail("offset_shape needs to be set for _MaskPartial");
  const auto ndim = static_cast<int>(masked.offsetShape.size());
  if (masked.offsetDim >= 0 && masked.offsetDim < ndim) return {};
  return fail(fmt::format("placement {}: expected an offset_dim from 0 to {}",
                          toText(Placement(masked)), ndim - 1));
}

// Returns a partial as error messages name it: by its op, or by its notation if it is more than an
// op.
std::string reducedBy(const Placement& p) {
  const auto op = partialOp(p);
  return op && op != ReduceOp::PremulSum ? std::string(reduceOpName(*op)) : toText(p);
}

Result<void> verifyPartials(const Placements& placements) {
  const Placements kinds = kindsOfPartial(placements);
  if (kinds.size() < 2) return {};
  // Masks of different tables may have the same op; then show the full notation.
  const bool alike = reducedBy(kinds[0]) == reducedBy(kinds[1]);
  std::string found;
  for (const auto& kind : kinds) {
    found += (found.empty() ? "'" : ", '") + (alike ? toText(kind) : reducedBy(kind)) + "'";
  }
  return fail(
      "Mixed Partial reduce types are not supported in the same placement list. Found reduce "
      "ops: {" +
      found + "}. Please ensure all Partial placements use the same reduce operation.");
}

}  // namespace

Result<Placements> verifyPlacements(Placements placements, const DeviceMesh& mesh, int ndim) {
  if (static_cast<int>(placements.size()) != mesh.ndim()) {
    return fail(fmt::format(
        "placements {}: got {}, expected one placement for each of the {} mesh dimensions",
        toText(placements), placements.size(), mesh.ndim()));
  }
  for (auto& placement : placements) {
    const Placement written = placement;
    Result<void> fits;
    if (auto* shard = std::get_if<Shard>(&placement)) fits = verifyDim(shard->dim, written, ndim);
    if (auto* shard = std::get_if<StridedShard>(&placement)) {
      fits = verifyDim(shard->dim, written, ndim);
    }
    if (const auto* masked = std::get_if<MaskPartial>(&placement)) fits = verifyMask(*masked);
    if (!fits) return tl::unexpected(fits.error());
  }
  if (auto partials = verifyPartials(placements); !partials) {
    return tl::unexpected(partials.error());
  }
  return placements;
}

}  // namespace shardlens
