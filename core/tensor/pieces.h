#pragma once

#include "core/model/shard_geometry.h"

#include <ATen/core/Tensor.h>

namespace shardlens {

// The elements of a tensor at the places of a block: a view where they stand in one piece, else a
// copy.
at::Tensor takePiece(const at::Tensor& tensor, const Block& block);

// A buffer to receive such elements: a view into the tensor where they stand in one piece; else
// memory of its own, from which putPiece() takes them where they belong.
at::Tensor placeFor(const at::Tensor& tensor, const Block& block);
// Does nothing for a view.
void putPiece(const at::Tensor& tensor, const Block& block, const at::Tensor& piece);

// Always a copy, contiguous.
at::Tensor copyPiece(const at::Tensor& tensor, const Block& block);

}  // namespace shardlens
