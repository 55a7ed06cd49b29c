#pragma once

#include "core/legacy/legacy_table.h"

#include <optional>
#include <string>

namespace shardlens {

// The options of embedding_bag on a ShardedTensor.
struct LegacyBagOptions : LegacyOptions {
  std::string mode = "mean";  // or "sum", "max"
  // The index of each bag's first id among ids of one dimension, and the end of the last bag with
  // includeLastOffset. For ids of two dimensions each row is a bag.
  std::optional<at::Tensor> offsets;
  bool includeLastOffset = false;
  std::optional<at::Tensor> perSampleWeights;
};

// Emulates torch.nn.functional.embedding_bag on a ShardedTensor, see legacyEmbedding(). The result
// has one row per bag, sharded if the ids are. Backward throws Refusal for mode "max". An empty bag
// gives zeros.
at::Tensor legacyEmbeddingBag(const at::Tensor& weight, const at::Tensor& ids,
                              const LegacyBagOptions& options);

}  // namespace shardlens
