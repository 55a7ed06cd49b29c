#pragma once

#include "core/tensor/legacy/legacy_table.h"

#include <optional>
#include <string>

namespace shardlens {

struct LegacyBagOptions : LegacyOptions {
  std::string mode = "mean";  // or "sum", "max"
  // Where each bag of ids of one dimension begins among all of them, and where the last one ends
  // if that is included. Ids of two dimensions are a bag a row.
  std::optional<at::Tensor> offsets;
  bool includeLastOffset = false;
  std::optional<at::Tensor> perSampleWeights;
};

// torch.nn.functional.embedding_bag on such a table, as legacyEmbedding(). The result has a row for
// each bag; where the ids are sharded, its rows are. The gradient is that of sums and means.
at::Tensor legacyEmbeddingBag(const at::Tensor& weight, const at::Tensor& ids,
                              const LegacyBagOptions& options);

}  // namespace shardlens
