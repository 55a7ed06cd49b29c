#include "app/cli/event_words.h"
#include "core/model/shard_geometry.h"

#include <map>

namespace shardlens::cli {
namespace {

using RanksOfShape = std::vector<std::pair<Shape, std::vector<int>>>;

void add(RanksOfShape& all, const Shape& shape, int rank) {
  for (auto& [known, ranks] : all) {
    if (known == shape) return ranks.push_back(rank);
  }
  all.emplace_back(shape, std::vector<int>{rank});
}

RanksOfShape shapesOf(const Journal& journal, const std::optional<DeviceMesh>& mesh,
                      TensorId tensor) {
  RanksOfShape all;
  for (const int rank : journal.ranksOf(tensor)) {
    const auto* value = journal.value(tensor, rank, journal.size());
    if (value != nullptr) add(all, value->shape, rank);
  }
  const TensorRecord& record = journal.tensor(tensor);
  if (!all.empty() || !mesh || record.placements.size() != static_cast<std::size_t>(mesh->ndim())) {
    return all;
  }
  for (int rank = 0; rank < mesh->size(); ++rank) {
    add(all, localShape(record.shape, *mesh, record.placements, rank), rank);
  }
  return all;
}

}  // namespace

std::string localShapesText(const Journal& journal, const std::optional<DeviceMesh>& mesh,
                            TensorId tensor) {
  const auto all = shapesOf(journal, mesh, tensor);
  if (all.size() == 1) return toText(all.front().first) + " on each rank";
  std::string text;
  for (const auto& [shape, ranks] : all) {
    text += (text.empty() ? "" : ", ") + toText(shape) + " on " + ranksText({ranks});
  }
  return text;
}

}  // namespace shardlens::cli
