#pragma once

#include "core/session/scenario/step_reader.h"
#include "core/tensor/legacy/legacy_embedding_bag.h"

namespace shardlens {

// What the calls `sharded_embedding` and `sharded_embedding_bag` say: args [weight, ids], kwargs as
// PyTorch documents them for torch.nn.functional.
template <class Options>
struct LookupCall {
  at::Tensor weight;
  at::Tensor ids;
  Options options;
};

LookupCall<LegacyOptions> readShardedEmbedding(const StepReader& step);
LookupCall<LegacyBagOptions> readShardedEmbeddingBag(const StepReader& step);

}  // namespace shardlens
