#include "ui/models/run_totals.h"

#include "core/model/shard_geometry.h"
#include "core/model/spec.h"
#include "core/trace/journal/tensor_ranks.h"

#include <algorithm>
#include <vector>

namespace shardlens {
namespace {

constexpr TensorId kMostSized = 4096;
constexpr int kMostRanks = 64;

}  // namespace

std::map<std::string, std::int64_t> bytesByAxis(const Journal& journal) {
  std::map<std::string, std::int64_t> bytes;
  for (const auto& [key, totals] : journal.totals().all()) {
    if (key.kind == EventKind::Collective) {
      bytes[axisOf(journal, eventOf(key))] += totals.bytes;
    }
  }
  return bytes;
}

std::optional<TensorMemory> tensorMemory(const Journal& journal) {
  if (journal.tensors() == 0 || journal.tensors() > kMostSized) {
    return std::nullopt;
  }
  const auto mesh = recordedMesh(journal);
  if (!mesh || mesh->size() > kMostRanks) {
    return std::nullopt;
  }
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(mesh->size()), 0);
  for (TensorId id = 1; id <= journal.tensors(); ++id) {
    const TensorRecord tensor = journal.tensor(id);
    if (tensor.mesh != nullptr || static_cast<int>(tensor.placements.size()) != mesh->ndim()) {
      continue;
    }
    for (std::size_t rank = 0; rank < sizes.size(); ++rank) {
      const Shape local =
          localShape(tensor.shape, *mesh, tensor.placements, static_cast<int>(rank));
      sizes[rank] += elementCount(local) * dtypeSize(tensor.dtype);
    }
  }
  const auto [least, most] = std::minmax_element(sizes.begin(), sizes.end());
  return TensorMemory{*least, *most, static_cast<int>(most - sizes.begin())};
}

}  // namespace shardlens
