#pragma once

#include "core/session/scenario/step_reader.h"
#include "core/tensor/legacy/legacy_embedding_bag.h"

namespace shardlens {

// The arguments of the calls `sharded_embedding` and `sharded_embedding_bag`: args [weight, ids],
// and kwargs as in torch.nn.functional. `weight` and `ids` are undefined if the argument is not a
// reference.
template <class Options>
struct LookupCall {
  at::Tensor weight;
  at::Tensor ids;
  Options options;
};

// Read the arguments of a step. Throw Refusal for unknown keywords or wrong types.
LookupCall<LegacyOptions> readShardedEmbedding(const StepReader& step);
LookupCall<LegacyBagOptions> readShardedEmbeddingBag(const StepReader& step);

}  // namespace shardlens
