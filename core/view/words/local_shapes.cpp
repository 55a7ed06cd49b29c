#include "core/view/words/local_shapes.h"

#include "core/model/ranks_text.h"
#include "core/model/shard_geometry.h"
#include "core/trace/journal/tensor_ranks.h"

namespace shardlens::view {
namespace {

using RanksOfShape = std::vector<std::pair<Shape, std::vector<int>>>;

void add(RanksOfShape& all, const Shape& shape, int rank) {
  for (auto& [known, ranks] : all) {
    if (known == shape) return ranks.push_back(rank);
  }
  all.emplace_back(shape, std::vector<int>{rank});
}

RanksOfShape shapesOf(const Journal& journal, const TensorRanks& ranks, TensorId tensor) {
  RanksOfShape all;
  const TensorRecord record = journal.tensor(tensor);
  const auto& mesh = ranks.mesh();
  for (const int rank : ranks.all()) {
    if (const auto value = journal.value(tensor, rank, journal.size())) {
      add(all, value->shape, rank);
    } else if (mesh && mesh->has(rank)) {
      add(all, localShape(record.shape, *mesh, record.placements, rank), rank);
    }
  }
  return all;
}

}  // namespace

std::string localShapesText(const Journal& journal, TensorId tensor) {
  const TensorRanks ranks(journal, tensor);
  const auto all = shapesOf(journal, ranks, tensor);
  if (all.size() == 1 && all.front().second.size() == ranks.all().size()) {
    return toText(all.front().first) + " on each rank";
  }
  std::string text;
  for (const auto& [shape, holders] : all) {
    text += (text.empty() ? "" : ", ") + toText(shape) + " on " + ranksText({holders});
  }
  return text;
}

}  // namespace shardlens::view
