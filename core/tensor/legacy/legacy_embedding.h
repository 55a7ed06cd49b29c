#pragma once

#include "core/tensor/legacy/legacy_table.h"

namespace shardlens {

// torch.nn.functional.embedding as PyTorch had it for a ShardedTensor: a table cut into one chunk
// of rows, or of columns, a rank, and ids that are replicated, or sharded and gathered first. The
// result lies as the ids do. With max_norm, the table is changed in place, but only in rows that
// were asked for.
at::Tensor legacyEmbedding(const at::Tensor& weight, const at::Tensor& ids,
                           const LegacyOptions& options);

}  // namespace shardlens
