#include "core/model/shard_order.h"

#include <algorithm>

namespace shardlens {
namespace {

std::string listText(const std::vector<int>& dims) {
  return toText(Shape(dims.begin(), dims.end()));
}

Result<void> verifyEntry(const Placements& placements, int tensorDim,
                         const std::vector<int>& meshDims) {
  auto sorted = meshDims;
  std::sort(sorted.begin(), sorted.end());
  const auto expected = shardingMeshDims(placements, tensorDim);
  if (sorted == expected) return {};
  const std::string where = "shard_order of tensor dimension " + std::to_string(tensorDim);
  return fail(where + ": got " + listText(meshDims) +
              ", expected the mesh dimensions that shard it" +
              (expected.empty() ? ", and none does" : ", " + listText(expected) + " in any order"));
}

// Returns where to insert a mesh dimension in the order of those to its right, so that the ones
// before it make `pieces` pieces. Returns nullopt if there is no such position.
std::optional<std::size_t> placeAmong(const std::vector<int>& order, const DeviceMesh& mesh,
                                      int pieces) {
  int before = 1;
  for (std::size_t place = 0; place <= order.size(); ++place) {
    if (before == pieces) return place;
    if (place < order.size()) before *= mesh.size(order[place]);
  }
  return std::nullopt;
}

}  // namespace

std::vector<int> shardingMeshDims(const Placements& placements, int tensorDim) {
  std::vector<int> dims;
  for (std::size_t dim = 0; dim < placements.size(); ++dim) {
    if (shardedDim(placements[dim]) == tensorDim) dims.push_back(static_cast<int>(dim));
  }
  return dims;
}

Result<Placements> placementsInOrder(Placements placements, const ShardOrder& order,
                                     const DeviceMesh& mesh) {
  if (std::any_of(placements.begin(), placements.end(), isStridedShard)) {
    return fail(
        "DTensorSpec doesn't allow specify shard_order when "
        "use_strided_shard_as_shard_order is True. This may result in conflicting shard "
        "order: got " +
        toText(placements) + ", expected no strided shard");
  }
  for (const auto& [tensorDim, meshDims] : order) {
    if (auto verified = verifyEntry(placements, tensorDim, meshDims); !verified) {
      return tl::unexpected(verified.error());
    }
    for (std::size_t place = 0; place < meshDims.size(); ++place) {
      int pieces = 1;
      for (std::size_t before = 0; before < place; ++before) {
        if (meshDims[before] > meshDims[place]) pieces *= mesh.size(meshDims[before]);
      }
      if (pieces == 1) continue;
      placements[static_cast<std::size_t>(meshDims[place])] = StridedShard{tensorDim, pieces};
    }
  }
  return placements;
}

std::optional<ShardOrder> shardOrderOf(const Placements& placements, const DeviceMesh& mesh) {
  ShardOrder order;
  for (int dim = mesh.ndim() - 1; dim >= 0; --dim) {
    const auto& placement = placements[static_cast<std::size_t>(dim)];
    const auto tensorDim = shardedDim(placement);
    if (!tensorDim) continue;
    const auto* strided = std::get_if<StridedShard>(&placement);
    auto& dims = order[*tensorDim];
    const auto place = placeAmong(dims, mesh, strided == nullptr ? 1 : strided->splitFactor);
    if (!place) return std::nullopt;
    dims.insert(dims.begin() + static_cast<std::ptrdiff_t>(*place), dim);
  }
  return order;
}

}  // namespace shardlens
