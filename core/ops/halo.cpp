#include "core/ops/halo.h"

#include "core/model/shard_order.h"
#include "core/plan/cost.h"

#include <algorithm>

namespace shardlens {
namespace {

// Returns the chunk of the given member among the ranks that differ along these mesh dimensions.
Chunk partOf(std::int64_t n, const DeviceMesh& mesh, const std::vector<int>& meshDims, int member) {
  int ranks = groupSize(mesh, meshDims);
  Chunk part{0, n};
  for (const int dim : meshDims) {
    ranks /= mesh.size(dim);
    const Chunk inner = chunkOf(part.length, mesh.size(dim), member / ranks % mesh.size(dim));
    part = {part.begin + inner.begin, inner.length};
  }
  return part;
}

Chunk overOf(const Chunk& windows, const Windows& how) {
  return {windows.begin * how.step - how.padding, lengthUnder(how, windows.length)};
}

std::vector<Halo::Part> partsOf(const Halo& halo, std::int64_t n, std::int64_t windowCount,
                                const DeviceMesh& mesh) {
  std::vector<Halo::Part> parts;
  for (int member = 0; member < groupSize(mesh, halo.meshDims); ++member) {
    parts.push_back({partOf(n, mesh, halo.meshDims, member),
                     overOf(partOf(windowCount, mesh, halo.meshDims, member), halo.windows)});
  }
  return parts;
}

std::int64_t endOf(const Chunk& part) { return part.begin + part.length; }

Chunk within(const Chunk& part, std::int64_t begin, std::int64_t end) {
  begin = std::max(begin, part.begin);
  return {begin, std::max<std::int64_t>(0, std::min(end, endOf(part)) - begin)};
}

// Returns the number of elements that a rank receives, or nullopt if some are not its neighbours'.
std::optional<std::int64_t> received(const std::vector<Halo::Part>& parts, std::size_t member,
                                     std::int64_t n) {
  const auto& [own, over] = parts[member];
  const Chunk needed = within(over, 0, n);
  if (needed.length == 0) return 0;
  const auto& before = parts[member == 0 ? 0 : member - 1].own;
  const auto& after = parts[std::min(member + 1, parts.size() - 1)].own;
  if (needed.begin < before.begin || endOf(needed) > endOf(after)) return std::nullopt;
  return needed.length - within(needed, own.begin, endOf(own)).length;
}

}  // namespace

std::int64_t lengthUnder(const Windows& windows, std::int64_t count) {
  return count == 0 ? 0 : (count - 1) * windows.step + windows.length;
}

std::optional<std::vector<Halo>> halosOf(const Spec& image, const Shape& windowCounts,
                                         const std::vector<Windows>& windows) {
  constexpr std::size_t kPlaces = 2;
  const DeviceMesh& mesh = *image.mesh;
  Shape held;  // the shape on the first rank, which is the largest
  for (std::size_t dim = 0; dim < image.meta.shape.size(); ++dim) {
    held.push_back(partOf(image.meta.shape[dim], mesh,
                          shardingMeshDims(image.placements, static_cast<int>(dim)), 0)
                       .length);
  }
  std::vector<Halo> halos;
  for (std::size_t dim = kPlaces; dim < held.size(); ++dim) {
    Halo halo{.tensorDim = static_cast<int>(dim),
              .meshDims = shardingMeshDims(image.placements, static_cast<int>(dim)),
              .windows = windows[dim - kPlaces],
              .parts = {}};
    if (halo.meshDims.empty()) continue;
    const auto n = image.meta.shape[dim];
    halo.parts = partsOf(halo, n, windowCounts[dim], mesh);
    std::int64_t most = 0, longest = 0;
    for (std::size_t member = 0; member < halo.parts.size(); ++member) {
      const auto elements = received(halo.parts, member, n);
      if (!elements) return std::nullopt;
      most = std::max(most, *elements);
      longest = std::max(longest, halo.parts[member].over.length);
    }
    held[dim] = most;
    halo.bytes = elementCount(held) * dtypeSize(image.meta.dtype);
    held[dim] = longest;
    halos.push_back(std::move(halo));
  }
  return halos;
}

std::string reachText(const Halo& halo) {
  std::int64_t before = 0, after = 0;
  const auto n = endOf(halo.parts.back().own);
  for (const auto& [own, over] : halo.parts) {
    const Chunk needed = within(over, 0, n);
    if (needed.length == 0) continue;
    before = std::max(before, own.begin - needed.begin);
    after = std::max(after, endOf(needed) - endOf(own));
  }
  const auto& windows = halo.windows;
  return "dim " + std::to_string(halo.tensorDim) + ": windows of " +
         std::to_string(windows.length) + " by steps of " + std::to_string(windows.step) +
         " reach " + std::to_string(before) + " before a rank's own and " + std::to_string(after) +
         " after";
}

}  // namespace shardlens
