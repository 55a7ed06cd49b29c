#pragma once

#include "core/legacy/legacy_table.h"

namespace shardlens {

// Emulates torch.nn.functional.embedding on PyTorch's former ShardedTensor. The table has one chunk
// of rows or columns per rank. The ids are replicated, or sharded and then gathered. The result is
// placed like the ids. With maxNorm, the looked-up rows of the table are renormalised in place.
// Differentiable in the table. Throws Refusal as LegacyTable does.
at::Tensor legacyEmbedding(const at::Tensor& weight, const at::Tensor& ids,
                           const LegacyOptions& options);

}  // namespace shardlens
