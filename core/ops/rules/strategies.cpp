#include "core/ops/rules/rules.h"

#include <algorithm>
#include <set>

namespace shardlens {

std::vector<TensorMeta> likeFirst(const OpSchema& call) { return {call.input(0)}; }

std::vector<Placement> shardsOf(const OpSchema& call, int dim) {
  std::set<int> factors;
  for (const auto& input : call.inputs) {
    for (const auto& placement : input.placements) {
      if (const auto* strided = std::get_if<StridedShard>(&placement)) {
        factors.insert(strided->splitFactor);
      }
    }
  }
  std::vector<Placement> shards{Shard{dim}};
  for (const int factor : factors) shards.push_back(StridedShard{dim, factor});
  return shards;
}

std::vector<Placement> partialsOf(const OpSchema& call) {
  std::vector<Placement> partials;
  for (const auto& input : call.inputs) {
    for (const auto& placement : input.placements) {
      const bool known = std::find(partials.begin(), partials.end(), placement) != partials.end();
      if (isPartial(placement) && !known) partials.push_back(placement);
    }
  }
  return partials;
}

int dimArg(const OpSchema& call, std::string_view name, int ndim) {
  const auto dim = static_cast<int>(std::get<std::int64_t>(call.arg(name)));
  return dim < 0 ? dim + ndim : dim;
}

Placement alongDim(Placement shard, int dim) {
  if (auto* plain = std::get_if<Shard>(&shard)) plain->dim = dim;
  if (auto* strided = std::get_if<StridedShard>(&shard)) strided->dim = dim;
  return shard;
}

}  // namespace shardlens
