#include "core/ops/rules/rules.h"

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

}  // namespace shardlens
