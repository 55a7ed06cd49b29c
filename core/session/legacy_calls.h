#pragma once

#include "core/session/scenario/step_reader.h"

namespace shardlens {

// The calls `sharded_embedding` and `sharded_embedding_bag`: args [weight, ids], kwargs as PyTorch
// documents them for torch.nn.functional.
at::Tensor callShardedEmbedding(const StepReader& step);
at::Tensor callShardedEmbeddingBag(const StepReader& step);

}  // namespace shardlens
